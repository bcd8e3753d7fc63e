//! The files that the page is made of.

use std::borrow::Cow;
use std::path::Path;

use rust_embed::Embed;

#[derive(Embed)]
#[folder = "../../web/dist"]
struct Dist;

/// The first thing that a browser asks for.
const INDEX: &str = "index.html";

/// A file of the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageFile {
    /// What is in it.
    pub bytes: Cow<'static, [u8]>,
    /// What kind of file it is.
    pub media: &'static str,
    /// Whether its name tells its content, so that it never changes under that name.
    pub is_named_by_content: bool,
}

/// Returns whether the page was there when this program was built.
pub fn is_built() -> bool {
    Dist::get(INDEX).is_some()
}

/// Returns a file of the page. Addresses of views are no files: each of them is answered with the page itself, which knows what
/// to show there.
pub fn file(path: &str) -> Option<PageFile> {
    const BY_CONTENT: &str = "assets/";
    let path = path.trim_start_matches('/');
    let is_view = !path.contains('.') && !path.starts_with(BY_CONTENT);
    let path = if is_view { INDEX } else { path };
    let media = media_of(path)?;
    let bytes = Dist::get(path)?.data;
    Some(PageFile { bytes, media, is_named_by_content: path.starts_with(BY_CONTENT) })
}

/// Returns one of the two files that exported sessions are shown with.
pub(crate) fn viewer_file(name: &str) -> Option<String> {
    let file = Dist::get(&format!("export/{name}"))?;
    String::from_utf8(file.data.into_owned()).ok()
}

fn media_of(path: &str) -> Option<&'static str> {
    Some(match Path::new(path).extension()?.to_str()? {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "woff2" => "font/woff2",
        _ => return None,
    })
}
