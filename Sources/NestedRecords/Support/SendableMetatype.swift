#if compiler(>=6.2)
/// The requirement for the metatypes of models and iterators: conformances hold on every thread, since databases are
/// read away from the caller's actor.
///
/// `#if` cannot enclose only the inheritance clause of a protocol, so this alias provides the name that older compilers
/// lack.
public typealias _SendableMetatypeIfAvailable = SendableMetatype
#else
/// The requirement for the metatypes of models and iterators: none, since the compiler has no `SendableMetatype`.
public typealias _SendableMetatypeIfAvailable = Any
#endif
