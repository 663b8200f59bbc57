#if __has_include(<sqlite3.h>)
#include <sqlite3.h>
#else
#error "install libsqlite3-dev, or build without the package trait SQLite"
#endif
