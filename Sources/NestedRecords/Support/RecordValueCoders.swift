/// The encoders of this library: a type whose form in a record is not its form elsewhere asks for them.
protocol RecordValueEncoder: Encoder {}

/// The decoders of this library: a type whose form in a record is not its form elsewhere asks for them.
protocol RecordValueDecoder: Decoder {}
