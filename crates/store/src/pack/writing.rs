//! From a value to columns.

use serde::ser::{
    Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

use super::PackError;
use super::columns::{ColumnWriter, Place, zigzag};

/// Writes the value at one place.
pub(super) struct Writer<'a> {
    pub(super) columns: &'a mut ColumnWriter,
    pub(super) place: Place,
}

type Done = Result<(), PackError>;

impl Writer<'_> {
    fn number(self, number: u64) {
        self.columns.put(self.place, number);
    }

    fn signed(self, number: i64) {
        self.number(zigzag(number.cast_unsigned()));
    }

    fn below(&mut self, step: usize) -> Writer<'_> {
        let place = self.columns.below(self.place, step);
        Writer { columns: self.columns, place }
    }
}

impl<'a> Writer<'a> {
    /// Writes which variant it is; what it holds stands below, apart from what the others hold.
    fn variant(self, variant: u32) -> Self {
        self.columns.put(self.place, variant.into());
        let place = self.columns.below(self.place, variant as usize);
        Self { place, ..self }
    }

    fn list(self, length: Option<usize>) -> Result<Self, PackError> {
        let length = length.ok_or_else(|| PackError("its length is not known".to_owned()))?;
        self.columns.put(self.place, length as u64);
        Ok(self)
    }

    fn parts(self) -> Parts<'a> {
        Parts { writer: self, next: 0 }
    }
}

impl<'a> Serializer for Writer<'a> {
    type Ok = ();
    type Error = PackError;
    type SerializeSeq = Self;
    type SerializeTuple = Parts<'a>;
    type SerializeTupleStruct = Parts<'a>;
    type SerializeTupleVariant = Parts<'a>;
    type SerializeMap = Self;
    type SerializeStruct = Parts<'a>;
    type SerializeStructVariant = Parts<'a>;

    fn serialize_bool(self, value: bool) -> Done {
        self.number(value.into());
        Ok(())
    }

    fn serialize_i8(self, value: i8) -> Done {
        self.signed(value.into());
        Ok(())
    }

    fn serialize_i16(self, value: i16) -> Done {
        self.signed(value.into());
        Ok(())
    }

    fn serialize_i32(self, value: i32) -> Done {
        self.signed(value.into());
        Ok(())
    }

    fn serialize_i64(self, value: i64) -> Done {
        self.signed(value);
        Ok(())
    }

    fn serialize_u8(self, value: u8) -> Done {
        self.columns.put_text(self.place, &[value]);
        Ok(())
    }

    fn serialize_u16(self, value: u16) -> Done {
        self.number(value.into());
        Ok(())
    }

    fn serialize_u32(self, value: u32) -> Done {
        self.number(value.into());
        Ok(())
    }

    fn serialize_u64(self, value: u64) -> Done {
        self.number(value);
        Ok(())
    }

    fn serialize_f32(self, value: f32) -> Done {
        self.number(value.to_bits().into());
        Ok(())
    }

    fn serialize_f64(self, value: f64) -> Done {
        self.number(value.to_bits());
        Ok(())
    }

    fn serialize_char(self, value: char) -> Done {
        self.number(u32::from(value).into());
        Ok(())
    }

    fn serialize_str(self, value: &str) -> Done {
        self.serialize_bytes(value.as_bytes())
    }

    fn serialize_bytes(self, value: &[u8]) -> Done {
        self.columns.put_text(self.place, value);
        self.number(value.len() as u64);
        Ok(())
    }

    fn serialize_none(self) -> Done {
        self.number(0);
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Done {
        value.serialize(self.variant(1))
    }

    fn serialize_unit(self) -> Done {
        Ok(())
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Done {
        Ok(())
    }

    fn serialize_unit_variant(
        self,
        _name: &'static str,
        variant: u32,
        _variant_name: &'static str,
    ) -> Done {
        // A variant that holds nothing has its place, too: who reads it comes there before that is known.
        self.variant(variant);
        Ok(())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        value: &T,
    ) -> Done {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        variant: u32,
        _variant_name: &'static str,
        value: &T,
    ) -> Done {
        value.serialize(self.variant(variant))
    }

    fn serialize_seq(self, length: Option<usize>) -> Result<Self, PackError> {
        self.list(length)
    }

    fn serialize_tuple(self, _length: usize) -> Result<Parts<'a>, PackError> {
        Ok(self.parts())
    }

    fn serialize_tuple_struct(
        self,
        _name: &'static str,
        _length: usize,
    ) -> Result<Parts<'a>, PackError> {
        Ok(self.parts())
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        variant: u32,
        _variant_name: &'static str,
        _length: usize,
    ) -> Result<Parts<'a>, PackError> {
        Ok(self.variant(variant).parts())
    }

    fn serialize_map(self, length: Option<usize>) -> Result<Self, PackError> {
        self.list(length)
    }

    fn serialize_struct(self, _name: &'static str, _length: usize) -> Result<Parts<'a>, PackError> {
        Ok(self.parts())
    }

    fn serialize_struct_variant(
        self,
        _name: &'static str,
        variant: u32,
        _variant_name: &'static str,
        _length: usize,
    ) -> Result<Parts<'a>, PackError> {
        Ok(self.variant(variant).parts())
    }

    fn is_human_readable(&self) -> bool {
        false
    }
}

/// All elements of a list stand at one place.
impl SerializeSeq for Writer<'_> {
    type Ok = ();
    type Error = PackError;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Done {
        value.serialize(self.below(0))
    }

    fn end(self) -> Done {
        Ok(())
    }
}

impl SerializeMap for Writer<'_> {
    type Ok = ();
    type Error = PackError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Done {
        key.serialize(self.below(0))
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Done {
        value.serialize(self.below(1))
    }

    fn end(self) -> Done {
        Ok(())
    }
}

/// Writes what has a place for each of its parts.
pub(super) struct Parts<'a> {
    writer: Writer<'a>,
    next: usize,
}

impl Parts<'_> {
    fn put<T: Serialize + ?Sized>(&mut self, value: &T) -> Done {
        self.next += 1;
        value.serialize(self.writer.below(self.next - 1))
    }
}

impl SerializeTuple for Parts<'_> {
    type Ok = ();
    type Error = PackError;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Done {
        self.put(value)
    }

    fn end(self) -> Done {
        Ok(())
    }
}

impl SerializeTupleStruct for Parts<'_> {
    type Ok = ();
    type Error = PackError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Done {
        self.put(value)
    }

    fn end(self) -> Done {
        Ok(())
    }
}

impl SerializeTupleVariant for Parts<'_> {
    type Ok = ();
    type Error = PackError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Done {
        self.put(value)
    }

    fn end(self) -> Done {
        Ok(())
    }
}

impl SerializeStruct for Parts<'_> {
    type Ok = ();
    type Error = PackError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, _key: &'static str, value: &T) -> Done {
        self.put(value)
    }

    fn end(self) -> Done {
        Ok(())
    }
}

impl SerializeStructVariant for Parts<'_> {
    type Ok = ();
    type Error = PackError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, _key: &'static str, value: &T) -> Done {
        self.put(value)
    }

    fn end(self) -> Done {
        Ok(())
    }
}
