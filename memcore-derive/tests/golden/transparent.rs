#[repr(transparent)]
struct Tagged<T, U>(T, PhantomData<U>);
