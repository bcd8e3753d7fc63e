//! Columns: the numbers and the text that stand at one place of a value.

/// A place in a value: a field of a struct, the elements of a list, what a variant holds.
pub(super) type Place = usize;

/// Numbers the places in the order in which they are first come to. Whoever reads a value comes to them as its writer did.
#[derive(Default)]
struct Places {
    /// For each place, those within it by their step.
    within: Vec<Vec<Place>>,
}

const UNKNOWN: Place = Place::MAX;

impl Places {
    fn add(&mut self) -> Place {
        self.within.push(Vec::new());
        self.within.len() - 1
    }

    /// Returns the place one step below another, and whether nobody has come to it before.
    fn below(&mut self, place: Place, step: usize) -> (Place, bool) {
        let within = &mut self.within[place];
        if within.len() <= step {
            within.resize(step + 1, UNKNOWN);
        }
        if within[step] != UNKNOWN {
            return (within[step], false);
        }
        let new = self.add();
        self.within[place][step] = new;
        (new, true)
    }
}

/// How the numbers of a column are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Coding {
    /// As they are, small ones in fewer bytes.
    Plain,
    /// Each as what it differs from the one before.
    Differences,
    /// In four bytes each.
    Four,
    /// In eight bytes each.
    Eight,
}

impl Coding {
    const ALL: [Self; 4] = [Self::Plain, Self::Differences, Self::Four, Self::Eight];

    /// Returns how many bytes a number takes, where all take the same.
    fn width(self) -> Option<usize> {
        match self {
            Self::Plain | Self::Differences => None,
            Self::Four => Some(4),
            Self::Eight => Some(8),
        }
    }
}

/// In the directory, the mark of a column whose text is hexadecimal digits, two to a byte.
const HEX: u8 = 4;

/// The columns of a value that is being packed.
#[derive(Default)]
pub(super) struct ColumnWriter {
    places: Places,
    columns: Vec<Column>,
}

#[derive(Default)]
struct Column {
    count: usize,
    last: u64,
    most: u64,
    plain: Vec<u8>,
    differences: Vec<u8>,
    text: Vec<u8>,
    /// Whether one of its texts has an odd number of bytes.
    is_odd: bool,
}

impl ColumnWriter {
    pub(super) fn root(&mut self) -> Place {
        self.columns.push(Column::default());
        self.places.add()
    }

    pub(super) fn below(&mut self, place: Place, step: usize) -> Place {
        let (place, is_new) = self.places.below(place, step);
        if is_new {
            self.columns.push(Column::default());
        }
        place
    }

    pub(super) fn put(&mut self, place: Place, number: u64) {
        let column = &mut self.columns[place];
        put_number(&mut column.plain, number);
        put_number(&mut column.differences, zigzag(number.wrapping_sub(column.last)));
        column.last = number;
        column.most = column.most.max(number);
        column.count += 1;
    }

    pub(super) fn put_text(&mut self, place: Place, text: &[u8]) {
        let column = &mut self.columns[place];
        column.text.extend_from_slice(text);
        column.is_odd |= text.len() % 2 == 1;
    }

    /// Returns what compresses well, and what looks random.
    pub(super) fn finish(self) -> (Vec<u8>, Vec<u8>) {
        let (mut directory, mut numbers, mut random) = (Vec::new(), Vec::new(), Vec::new());
        put_number(&mut directory, self.columns.len() as u64);
        for column in &self.columns {
            let coding = column.coding();
            let hex = if column.is_odd { None } else { from_hex(&column.text) };
            directory.push(coding as u8 | if hex.is_some() { HEX } else { 0 });
            let bytes = match coding {
                Coding::Plain => &column.plain,
                Coding::Differences => &column.differences,
                Coding::Four | Coding::Eight => &Vec::new(),
            };
            numbers.extend_from_slice(bytes);
            let text = hex.as_deref().unwrap_or(&column.text);
            let length = coding.width().map_or(bytes.len(), |width| width * column.count);
            put_number(&mut directory, length as u64);
            put_number(&mut directory, text.len() as u64);
            if let Some(width) = coding.width() {
                let mut plain = &*column.plain;
                while let Some(number) = take_number(&mut plain) {
                    random.extend_from_slice(&number.to_le_bytes()[..width]);
                }
            }
            random.extend_from_slice(text);
        }
        directory.extend(numbers);
        (directory, random)
    }
}

impl Column {
    fn coding(&self) -> Coding {
        let fixed = if u32::try_from(self.most).is_ok() { Coding::Four } else { Coding::Eight };
        let shortest = self.plain.len().min(self.differences.len());
        if fixed.width().is_some_and(|width| width * self.count < shortest) {
            fixed
        } else if self.differences.len() < self.plain.len() {
            Coding::Differences
        } else {
            Coding::Plain
        }
    }
}

/// The columns of a value that is being unpacked.
pub(super) struct ColumnReader<'a> {
    places: Places,
    columns: Vec<Cursor<'a>>,
}

struct Cursor<'a> {
    coding: Coding,
    last: u64,
    numbers: &'a [u8],
    is_hex: bool,
    text: &'a [u8],
}

impl<'a> ColumnReader<'a> {
    /// Reads the directory; `None` if the columns are not all there.
    pub(super) fn new(even: &'a [u8], random: &'a [u8]) -> Option<Self> {
        let mut directory = even;
        let count = usize::try_from(take_number(&mut directory)?).ok()?;
        let mut entries = Vec::new();
        for _ in 0..count {
            let (&mark, rest) = directory.split_first()?;
            directory = rest;
            let coding = *Coding::ALL.get(usize::from(mark & !HEX))?;
            let length = usize::try_from(take_number(&mut directory)?).ok()?;
            let text = usize::try_from(take_number(&mut directory)?).ok()?;
            entries.push((coding, mark & HEX != 0, length, text));
        }
        let (mut even, mut random) = (directory, random);
        let columns = entries.into_iter().map(|(coding, is_hex, length, text)| {
            let from = if coding.width().is_some() { &mut random } else { &mut even };
            let numbers = from.split_off(..length)?;
            let text = random.split_off(..text)?;
            Some(Cursor { coding, last: 0, numbers, is_hex, text })
        });
        Some(Self { columns: columns.collect::<Option<_>>()?, places: Places::default() })
    }

    pub(super) fn root(&mut self) -> Place {
        self.places.add()
    }

    pub(super) fn below(&mut self, place: Place, step: usize) -> Place {
        self.places.below(place, step).0
    }

    pub(super) fn take(&mut self, place: Place) -> Option<u64> {
        let cursor = self.columns.get_mut(place)?;
        let number = match cursor.coding {
            Coding::Plain => take_number(&mut cursor.numbers)?,
            Coding::Differences => {
                cursor.last.wrapping_add(unzigzag(take_number(&mut cursor.numbers)?))
            }
            Coding::Four => u32::from_le_bytes(*take_chunk(&mut cursor.numbers)?).into(),
            Coding::Eight => u64::from_le_bytes(*take_chunk(&mut cursor.numbers)?),
        };
        cursor.last = number;
        Some(number)
    }

    pub(super) fn take_byte(&mut self, place: Place) -> Option<u8> {
        self.columns.get_mut(place)?.text.split_off_first().copied()
    }

    /// Takes so many bytes of text, and appends them.
    pub(super) fn take_text(
        &mut self,
        place: Place,
        length: usize,
        to: &mut Vec<u8>,
    ) -> Option<()> {
        let cursor = self.columns.get_mut(place)?;
        if cursor.is_hex {
            let digits = cursor.text.split_off(..length / 2)?;
            to.extend(
                digits.iter().flat_map(|pair| {
                    [DIGITS[usize::from(pair >> 4)], DIGITS[usize::from(pair & 15)]]
                }),
            );
        } else {
            to.extend_from_slice(cursor.text.split_off(..length)?);
        }
        Some(())
    }
}

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Puts two digits into one byte, if there is nothing but digits.
fn from_hex(text: &[u8]) -> Option<Vec<u8>> {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let (pairs, rest) = text.as_chunks();
    let pair = |[high, low]: &[u8; 2]| Some(digit(*high)? << 4 | digit(*low)?);
    (!pairs.is_empty() && rest.is_empty()).then(|| pairs.iter().map(pair).collect())?
}

/// Writes a number in as few bytes as hold it, seven bits in each.
fn put_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    bytes.push(number.to_le_bytes()[0]);
}

fn take_number(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..u64::BITS).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

fn take_chunk<'a, const N: usize>(bytes: &mut &'a [u8]) -> Option<&'a [u8; N]> {
    let (chunk, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(chunk)
}

/// Makes small numbers of small differences, whichever way they go.
pub(super) fn zigzag(number: u64) -> u64 {
    let number = number.cast_signed();
    ((number << 1) ^ (number >> 63)).cast_unsigned()
}

pub(super) fn unzigzag(number: u64) -> u64 {
    (number >> 1) ^ (number & 1).wrapping_neg()
}
