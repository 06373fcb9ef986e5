// include/pliant/pliant.h -- includes all public headers.
#ifndef PLIANT_PLIANT_H
#define PLIANT_PLIANT_H

#include <pliant/base.h>
#include <pliant/export.h>
#include <pliant/io.h>
#include <pliant/liquid.h>
#include <pliant/material.h>
#include <pliant/mesh.h>
#include <pliant/scene.h>
#include <pliant/world.h>

#endif
