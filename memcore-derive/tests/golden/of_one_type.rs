#[repr(C)]
struct Row<T: Copy, const N: usize>
where
    T: Send,
{
    first: T,
    others: [T; N],
    marker: PhantomData<String>,
}
