#include "inline.h"
void here(void) { loop(); }
