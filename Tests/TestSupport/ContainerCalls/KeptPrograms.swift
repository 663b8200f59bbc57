/// Programs that are run each time.
package enum KeptPrograms {
    package struct Kept: Sendable {
        /// What the program finds, or reads.
        package let about: String

        /// The bytes of the program.
        package let text: String

        init(_ about: String, _ text: String) { (self.about, self.text) = (about, text) }
    }

    package static let all = [
        // Random programs that once found something.
        Kept("a single value that is asked for, and an object that is written", "00f30000bb0075000053"),
        Kept("the same at the top", "00070000ee"),
        Kept(
            "an object with a field 'value' that is read as a single value",
            "00000000f81f00000000000000000000000000000000000000000000000000cb07"),
        Kept("a Boolean that is read from null", "00000000220000000000000000000000000005"),
        Kept("an error of the type's own, outermost while encoding", "000000000077"),
        Kept("an error of the type's own, outermost while decoding", "00000000000000008b"),
        Kept("a super encoder that is read as a record", "000000001b6a0000000000000000000000000000eb"),
        Kept("a nested container that is read as a record", "00000000fd69bf"),
        Kept(
            "a record that is read as a nested container",
            "00f30000bb000000000e43530000003900000000000000000000000000000000000000000000000000000000000000000017"),
        Kept("a date in a super decoder", "00000000e7fd00140000000000fa"),
        Kept("a fraction that is read as an integer", "00df0000e200000000dac353510000000010b6009f"),
        Kept("a record that is read three times", "00000000a97300ca000053334500000000000000000014"),
        Kept(
            "null that is read as a record",
            "00f30000bb008700000e43530000003900000000000000000000000000000000000000002500000000000000000000000000"
                + "22"),
        Kept("a value that fails and is caught in a single value", "00e8000012002a00a7a900000000008b"),
        Kept("reading beyond the end of a list", "00410000257a0000000000770000000079"),
        Kept("a reference that is read as a dictionary", "00d40000f900000000e197c727000000000000000000320000000689"),
        Kept(
            "a string after a reference that is no UUID",
            "00000000cb000000000000000000000000340000000000000000000000000000000000000000000035afd400009200f90000"
                + "0000ebc3000000000000000000000080"),
        Kept(
            "a record that is given again where the plan of another one reads it",
            "02005b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b005353535353535353535b5b5b5b5b00535353535353535353535353"
                + "53535353535355496e7438000053535353535353535355496e7438000026000000005353f8a87300ca0000534c0000000000"
                + "00090000000014"),
        Kept(
            "a date that a record after a super decoder misses",
            "00000000f541270000e073ab007000000200000000000000000038"),
        Kept(
            "a record that fails before the value around it is read again",
            "00000000a7ae8b390000bb0000000b85ac00000000000000003b00000000ac00000000000000000000000000000000001900"
                + "fa0000000000f6"),
        Kept(
            "a record that is read through its own decoder in a value that is read again",
            "0000000071000000000000000000000000000000000000000000000000a4000000009b000000000000000000000000000000"
                + "00000000000000000000000000000000000093004f0b000000caaf00000000000000000000000000000000e7005900000046"
                + "00be0000000000000000a08a00000000d500c7000000000000000000000000000000000000000079000700004a"),
        Kept(
            "a record that fails where the plan of a record in it reads it, and is read by its own plan",
            "76767676767676767676760007ff5b5b5b5b5b5b5b5b5b5b5b5b5b0b5b5b0000000000000000000000000000000000000000"
                + "000000000000000000000000000000000032000000000000005353535353535353535b5b5b5b5b0053535353535353535353"
                + "535353535353530000a9a9a9a9a9a9a9a9a9a9a9a9a9a9a9a9a9a9"),
        // Random programs that find a defect, made as small as possible.
        Kept(
            "a key that was written before is stored a second time",
            "000000c85605005d00b0190000000000000000000000000b0000000495000000007f38000000002dcd000000a1"),
        Kept(
            "a frame that was a dictionary keeps its last key in the next value",
            "0000000037bb008900001f0000000052cd5d8300000000000000b000f200008a"),
        Kept("nil that is written by hand is left out", "00000000fe"),
        Kept("a scalar that is nil is stored as null", "00000000fe00000000000000001a0085"),
        Kept("null in an unkeyed container is seen and not passed", "009700008e"),
        Kept(
            "the value of a nested container replaces that of the first field",
            "000000002800000000000000000000000000000000a5"),
        Kept(
            "the value of a nested container in a list lands one element too early",
            "009700008e3100000000000000000053"),
        Kept("the superclass writes to the key 'base'", "000000003bee"),
        Kept(
            "with the records of a value that was given up goes the one before",
            "00000000a592000000000000000000f6003e0000cb001b00008e000000000027"),
        Kept(
            "a record whose decoding failed stays open",
            "008500003a000000006b4f63670000ef000000008fbb00000000000000000000000000000000000000000000000000000000"
                + "000000000000000000000000000000000019000013000000000000000000000000000000000000b0"),
        Kept("the place of a field is noted for the next key", "000000008c61"),
        Kept(
            "0 and 1 are read as Booleans, texts as dates",
            "00000000fa4100660000f800ca00009a00000000e5820000000025d2006500000000f6"),
        Kept(
            "the number of a date counts from 1970",
            "00000000447200000000c5000000000000000000000000000000007d000000d78bf40059000042"),
        Kept("a fraction is read as an integer", "000000001700000000000000000000000000000000b8afc3000000da000000aff7"),
        Kept("a URL loses its form", "00000000991b0081"),
        Kept("a null in an optional place is decoded as a value", "00000083be000000f5"),
        Kept(
            "elements of a list have the path of the first",
            "0000000047af005f0000926900fc000e0800b900001b9d0019000000bb760000000009000000007a00000000004d00000000"
                + "000000000000000000000000000000000000000000000000000000000000000000000000000000d774"),
        Kept(
            "a record that is read as a list is refused",
            "00000000a700000000000000000000000000000000c7ff970000b68800000000000000000000000000290000000000000000"
                + "0000000000000000006938"),
        Kept(
            "a record that is read as a dictionary is refused",
            "00000000641e57b600004000f70000000000000000000000000000000093"),
        Kept("a failed attempt passes an element of a list", "009700009abc"),
        Kept(
            "a scalar of a list has no index in its path",
            "00790000b800000000860000000000000000000000000000000000000000000037"),
        Kept("a missing key is null", "000000002f000000000000000000000000c1000000000000000000000000000000000000003b05"),
        Kept("the super decoder of a missing key is not one of null", "00000000d1000000000000000000000000004540"),
        Kept("a super decoder without a key reads the whole", "0000000069b3"),
        Kept("a record with one field is taken for its value", "003400009600000000b5"),
        Kept("a nested container that is asked for again is refused", "000000000a2d000000008e550000008f"),
        Kept("keys of dictionaries are renamed", "0000000069b3"),
        Kept("the sign of an integer is lost in the binary form", "0000000095000000000000000000000000000000009e558e"),
        Kept("a map with a mark among its names has none", "000000000b740000000023"),
        Kept("a type's own error comes as another one", "00000000aa1300c0000006000000000027"),
    ]
}
