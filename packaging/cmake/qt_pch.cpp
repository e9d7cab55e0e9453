#include "packaging/cmake/qt_pch.h"
