// app/main.c
#include "commands.h"

int main(int argc, char **argv) { return pliant_main(argc, argv); }
