//! From columns to a value.

use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer, MapAccess, SeqAccess,
    VariantAccess, Visitor,
};

use super::PackError;
use super::columns::{ColumnReader, Place, unzigzag};

/// Reads the value at one place.
pub(super) struct Reader<'r, 'a> {
    pub(super) columns: &'r mut ColumnReader<'a>,
    pub(super) place: Place,
}

fn cut_short() -> PackError {
    PackError("it is cut short".to_owned())
}

fn too_large<E>(_: E) -> PackError {
    PackError("a number is too large".to_owned())
}

impl<'r, 'a> Reader<'r, 'a> {
    fn number(&mut self) -> Result<u64, PackError> {
        self.columns.take(self.place).ok_or_else(cut_short)
    }

    fn small<T: TryFrom<u64>>(&mut self) -> Result<T, PackError> {
        T::try_from(self.number()?).map_err(too_large)
    }

    fn signed(&mut self) -> Result<i64, PackError> {
        Ok(unzigzag(self.number()?).cast_signed())
    }

    fn text(&mut self) -> Result<Vec<u8>, PackError> {
        let length = self.small()?;
        let mut text = Vec::new();
        self.columns.take_text(self.place, length, &mut text).ok_or_else(cut_short)?;
        Ok(text)
    }

    fn below(&mut self, step: usize) -> Reader<'_, 'a> {
        let place = self.columns.below(self.place, step);
        Reader { columns: self.columns, place }
    }

    /// Reads the parts of something that has a place for each.
    fn parts(self, count: usize) -> Parts<'r, 'a> {
        Parts { reader: self, next: 0, count }
    }
}

impl<'de> Deserializer<'de> for Reader<'_, '_> {
    type Error = PackError;

    fn deserialize_any<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value, PackError> {
        Err(PackError("what it is can only be told from its type".to_owned()))
    }

    fn deserialize_bool<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, PackError> {
        visitor.visit_bool(self.number()? != 0)
    }

    fn deserialize_i8<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, PackError> {
        visitor.visit_i64(self.signed()?)
    }

    fn deserialize_i16<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, PackError> {
        visitor.visit_i64(self.signed()?)
    }

    fn deserialize_i32<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, PackError> {
        visitor.visit_i64(self.signed()?)
    }

    fn deserialize_i64<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, PackError> {
        visitor.visit_i64(self.signed()?)
    }

    fn deserialize_u8<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, PackError> {
        visitor.visit_u8(self.columns.take_byte(self.place).ok_or_else(cut_short)?)
    }

    fn deserialize_u16<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, PackError> {
        visitor.visit_u64(self.number()?)
    }

    fn deserialize_u32<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, PackError> {
        visitor.visit_u64(self.number()?)
    }

    fn deserialize_u64<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, PackError> {
        visitor.visit_u64(self.number()?)
    }

    fn deserialize_f32<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, PackError> {
        visitor.visit_f32(f32::from_bits(self.small()?))
    }

    fn deserialize_f64<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, PackError> {
        visitor.visit_f64(f64::from_bits(self.number()?))
    }

    fn deserialize_char<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, PackError> {
        visitor.visit_char(self.small::<u32>()?.try_into().map_err(too_large)?)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, PackError> {
        self.deserialize_string(visitor)
    }

    fn deserialize_string<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, PackError> {
        let text = String::from_utf8(self.text()?);
        visitor.visit_string(text.map_err(|why| PackError(why.to_string()))?)
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, PackError> {
        self.deserialize_byte_buf(visitor)
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, PackError> {
        visitor.visit_byte_buf(self.text()?)
    }

    fn deserialize_option<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, PackError> {
        match self.number()? {
            0 => visitor.visit_none(),
            _ => visitor.visit_some(self.below(1)),
        }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, PackError> {
        visitor.visit_unit()
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, PackError> {
        visitor.visit_unit()
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, PackError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, PackError> {
        let left = self.small()?;
        visitor.visit_seq(List { reader: self, left })
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, PackError> {
        visitor.visit_seq(self.parts(length))
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, PackError> {
        visitor.visit_seq(self.parts(length))
    }

    fn deserialize_map<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, PackError> {
        let left = self.small()?;
        visitor.visit_map(List { reader: self, left })
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, PackError> {
        visitor.visit_seq(self.parts(fields.len()))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, PackError> {
        visitor.visit_enum(self)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, PackError> {
        self.deserialize_any(visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, PackError> {
        self.deserialize_any(visitor)
    }

    fn is_human_readable(&self) -> bool {
        false
    }
}

/// The elements of a list, which all stand at one place, or the keys and values of a map.
struct List<'r, 'a> {
    reader: Reader<'r, 'a>,
    left: usize,
}

impl<'de> SeqAccess<'de> for List<'_, '_> {
    type Error = PackError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, PackError> {
        let Some(left) = self.left.checked_sub(1) else { return Ok(None) };
        self.left = left;
        seed.deserialize(self.reader.below(0)).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}

impl<'de> MapAccess<'de> for List<'_, '_> {
    type Error = PackError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, PackError> {
        self.next_element_seed(seed)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, PackError> {
        seed.deserialize(self.reader.below(1))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}

/// The parts of something that has a place for each.
struct Parts<'r, 'a> {
    reader: Reader<'r, 'a>,
    next: usize,
    count: usize,
}

impl<'de> SeqAccess<'de> for Parts<'_, '_> {
    type Error = PackError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, PackError> {
        if self.next == self.count {
            return Ok(None);
        }
        self.next += 1;
        seed.deserialize(self.reader.below(self.next - 1)).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.count - self.next)
    }
}

impl<'de> EnumAccess<'de> for Reader<'_, '_> {
    type Error = PackError;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(
        mut self,
        seed: V,
    ) -> Result<(V::Value, Self), PackError> {
        let variant: u32 = self.small()?;
        let value = seed.deserialize(variant.into_deserializer())?;
        let place = self.columns.below(self.place, variant as usize);
        Ok((value, Self { place, ..self }))
    }
}

impl<'de> VariantAccess<'de> for Reader<'_, '_> {
    type Error = PackError;

    fn unit_variant(self) -> Result<(), PackError> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, PackError> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(
        self,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, PackError> {
        visitor.visit_seq(self.parts(length))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, PackError> {
        visitor.visit_seq(self.parts(fields.len()))
    }
}
