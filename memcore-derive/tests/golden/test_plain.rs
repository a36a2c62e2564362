#[ignore]
fn copies() -> Result<(), Error> {
    Ok(())
}
