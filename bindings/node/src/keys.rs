//! Names as JavaScript writes them: a serializer that passes everything on and turns the names of fields into camel case.
//! Keys of maps are a host's own and stay.

use serde::ser::{
    Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple, SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

/// A value whose fields are named as JavaScript names them.
pub(crate) struct Named<'v, T: ?Sized>(pub(crate) &'v T);

impl<T: Serialize + ?Sized> Serialize for Named<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(Camel(serializer))
    }
}

/// Room for the name of a field; those of results are shorter.
const NAME_BYTES: usize = 48;

/// Writes the name of a field in camel case into `room`; as it is if it is too long for that, which none is. A window has
/// more than a hundred of them, so none is a text of its own.
fn camel<'n>(name: &'n str, room: &'n mut [u8; NAME_BYTES]) -> &'n str {
    debug_assert!(name.len() <= NAME_BYTES, "{name} is longer than {NAME_BYTES} bytes");
    if !name.contains('_') || name.len() > NAME_BYTES {
        return name;
    }
    let (mut length, mut upper) = (0, false);
    for byte in name.bytes() {
        if byte == b'_' {
            upper = length > 0;
            continue;
        }
        room[length] = if upper { byte.to_ascii_uppercase() } else { byte };
        (length, upper) = (length + 1, false);
    }
    std::str::from_utf8(&room[..length]).unwrap_or(name)
}

struct Camel<S>(S);

/// Passes values on that hold no names.
macro_rules! as_is {
    ($($method:ident: $type:ty),* $(,)?) => {
        $(fn $method(self, value: $type) -> Result<S::Ok, S::Error> {
            self.0.$method(value)
        })*
    };
}

impl<S: Serializer> Serializer for Camel<S> {
    type Ok = S::Ok;
    type Error = S::Error;
    type SerializeSeq = Camel<S::SerializeSeq>;
    type SerializeTuple = Camel<S::SerializeTuple>;
    type SerializeTupleStruct = Camel<S::SerializeTupleStruct>;
    type SerializeTupleVariant = Camel<S::SerializeTupleVariant>;
    type SerializeMap = Camel<S::SerializeMap>;
    type SerializeStruct = Camel<S::SerializeMap>;
    type SerializeStructVariant = Camel<S::SerializeStructVariant>;

    as_is! {
        serialize_bool: bool, serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64, serialize_i128: i128,
        serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64, serialize_u128: u128,
        serialize_f32: f32, serialize_f64: f64, serialize_char: char, serialize_str: &str, serialize_bytes: &[u8],
        serialize_unit_struct: &'static str,
    }

    fn serialize_none(self) -> Result<S::Ok, S::Error> {
        self.0.serialize_none()
    }

    fn serialize_unit(self) -> Result<S::Ok, S::Error> {
        self.0.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<S::Ok, S::Error> {
        self.0.serialize_some(&Named(value))
    }

    fn serialize_unit_variant(self, name: &'static str, index: u32, variant: &'static str) -> Result<S::Ok, S::Error> {
        self.0.serialize_unit_variant(name, index, variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, name: &'static str, value: &T) -> Result<S::Ok, S::Error> {
        self.0.serialize_newtype_struct(name, &Named(value))
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(self, name: &'static str, index: u32, variant: &'static str, value: &T) -> Result<S::Ok, S::Error> {
        self.0.serialize_newtype_variant(name, index, variant, &Named(value))
    }

    fn serialize_seq(self, len: Option<usize>) -> Result<Self::SerializeSeq, S::Error> {
        self.0.serialize_seq(len).map(Camel)
    }

    fn serialize_tuple(self, len: usize) -> Result<Self::SerializeTuple, S::Error> {
        self.0.serialize_tuple(len).map(Camel)
    }

    fn serialize_tuple_struct(self, name: &'static str, len: usize) -> Result<Self::SerializeTupleStruct, S::Error> {
        self.0.serialize_tuple_struct(name, len).map(Camel)
    }

    fn serialize_tuple_variant(self, name: &'static str, index: u32, variant: &'static str, len: usize) -> Result<Self::SerializeTupleVariant, S::Error> {
        self.0.serialize_tuple_variant(name, index, variant, len).map(Camel)
    }

    fn serialize_map(self, len: Option<usize>) -> Result<Self::SerializeMap, S::Error> {
        self.0.serialize_map(len).map(Camel)
    }

    /// As a map, whose keys need not be known when this is compiled.
    fn serialize_struct(self, _: &'static str, len: usize) -> Result<Self::SerializeStruct, S::Error> {
        self.0.serialize_map(Some(len)).map(Camel)
    }

    fn serialize_struct_variant(self, name: &'static str, index: u32, variant: &'static str, len: usize) -> Result<Self::SerializeStructVariant, S::Error> {
        self.0.serialize_struct_variant(name, index, variant, len).map(Camel)
    }
}

/// Lists, whose members are named in turn.
macro_rules! list {
    ($($trait:ident: $method:ident),*) => { $(
        impl<S: $trait> $trait for Camel<S> {
            type Ok = S::Ok;
            type Error = S::Error;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), S::Error> {
                self.0.$method(&Named(value))
            }

            fn end(self) -> Result<S::Ok, S::Error> {
                self.0.end()
            }
        }
    )* };
}
list!(SerializeSeq: serialize_element, SerializeTuple: serialize_element, SerializeTupleStruct: serialize_field, SerializeTupleVariant: serialize_field);

impl<S: SerializeMap> SerializeMap for Camel<S> {
    type Ok = S::Ok;
    type Error = S::Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), S::Error> {
        self.0.serialize_key(key)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), S::Error> {
        self.0.serialize_value(&Named(value))
    }

    fn end(self) -> Result<S::Ok, S::Error> {
        self.0.end()
    }
}

impl<S: SerializeMap> SerializeStruct for Camel<S> {
    type Ok = S::Ok;
    type Error = S::Error;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), S::Error> {
        self.0.serialize_entry(camel(name, &mut [0; NAME_BYTES]), &Named(value))
    }

    fn end(self) -> Result<S::Ok, S::Error> {
        self.0.end()
    }
}

impl<S: SerializeStructVariant> SerializeStructVariant for Camel<S> {
    type Ok = S::Ok;
    type Error = S::Error;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), S::Error> {
        self.0.serialize_field(name, &Named(value))
    }

    fn end(self) -> Result<S::Ok, S::Error> {
        self.0.end()
    }
}
