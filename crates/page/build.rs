//! The page is embedded as it was built last, so a new build of it is a reason to compile this crate again.

fn main() {
    println!("cargo:rerun-if-changed=../../web/dist");
}
