/// Programs that once found something.
package enum KeptPrograms {
    package struct Kept: Sendable {
        /// What was found.
        package let about: String

        /// The bytes of the program.
        package let text: String

        package init(about: String, text: String) {
            self.about = about
            self.text = text
        }
    }

    package static let all = [
        Kept(
            about: "a single value that is asked for, and an object that is written",
            text: "00f30000bb0075000053"),
        Kept(
            about: "the same at the top",
            text: "00070000ee"),
        Kept(
            about: "an object with a field 'value' that is read as a single value",
            text: "00000000f81f00000000000000000000000000000000000000000000000000cb07"),
        Kept(
            about: "a Boolean that is read from null",
            text: "00000000220000000000000000000000000005"),
        Kept(
            about: "an error of the type's own, outermost while encoding",
            text: "000000000077"),
        Kept(
            about: "an error of the type's own, outermost while decoding",
            text: "00000000000000008b"),
        Kept(
            about: "a super encoder that is read as a record",
            text: "000000001b6a0000000000000000000000000000eb"),
        Kept(
            about: "a nested container that is read as a record",
            text: "00000000fd69bf"),
        Kept(
            about: "a record that is read as a nested container",
            text: "00f30000bb000000000e4353000000390000000000000000000000000000000000000000000000000000000000"
                + "0000000017"),
        Kept(
            about: "a date in a super decoder",
            text: "00000000e7fd00140000000000fa"),
        Kept(
            about: "a fraction that is read as an integer",
            text: "00df0000e200000000dac353510000000010b6009f"),
        Kept(
            about: "a record that is read three times",
            text: "00000000a97300ca000053334500000000000000000014"),
        Kept(
            about: "null that is read as a record",
            text: "00f30000bb008700000e4353000000390000000000000000000000000000000000000000250000000000000000"
                + "000000000022"),
        Kept(
            about: "a value that fails and is caught in a single value",
            text: "00e8000012002a00a7a900000000008b"),
        Kept(
            about: "reading beyond the end of a list",
            text: "00410000257a0000000000770000000079"),
        Kept(
            about: "a reference that is read as a dictionary",
            text: "00d40000f900000000e197c727000000000000000000320000000689"),
        Kept(
            about: "a string after a reference that is no UUID",
            text:
                "00000000cb000000000000000000000000340000000000000000000000000000000000000000000035afd400009200f9000000"
                + "00ebc3000000000000000000000080"),
        Kept(
            about: "a record that is given again where the plan of another one reads it",
            text:
                "02005b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b005353535353535353535b5b5b5b5b0053535353535353535353535353"
                + "535353535355496e7438000053535353535353535355496e7438000026000000005353f8a87300ca0000534c0000000000"
                + "00090000000014"),
        Kept(
            about: "a date that a record after a super decoder misses",
            text: "00000000f541270000e073ab007000000200000000000000000038"),
        Kept(
            about: "a record that fails before the value around it is read again",
            text:
                "00000000a7ae8b390000bb0000000b85ac00000000000000003b00000000ac00000000000000000000000000000000001900fa"
                + "0000000000f6"),
        Kept(
            about: "a record that is read through its own decoder in a value that is read again",
            text:
                "0000000071000000000000000000000000000000000000000000000000a4000000009b00000000000000000000000000000000"
                + "000000000000000000000000000000000093004f0b000000caaf00000000000000000000000000000000e7005900000046"
                + "00be0000000000000000a08a00000000d500c7000000000000000000000000000000000000000079000700004a"),
        Kept(
            about: "a record that fails where the plan of a record in it reads it, and is read by its own plan",
            text:
                "76767676767676767676760007ff5b5b5b5b5b5b5b5b5b5b5b5b5b0b5b5b000000000000000000000000000000000000000000"
                + "0000000000000000000000000000000032000000000000005353535353535353535b5b5b5b5b00535353535353535353535353"
                + "53535353530000a9a9a9a9a9a9a9a9a9a9a9a9a9a9a9a9a9a9"),
    ]
}
