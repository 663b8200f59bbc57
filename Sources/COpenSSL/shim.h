#if __has_include(<openssl/evp.h>)
#include <openssl/err.h>
#include <openssl/evp.h>
#else
#error "install libssl-dev, or build without the package trait OpenSSL"
#endif
