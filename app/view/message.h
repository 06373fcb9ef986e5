// app/view/message.h -- what pages say to the engine: one JSON object per message.
//
//     {"kind": "touch", "hand": 0, "tool": "grab", "from": [x, y, z], "along": [x, y, z], "facing": [x, y, z]}
//     {"kind": "set", "path": "materials.jelly.young", "value": 2e4}
//
// A message is taken whole or not at all: its kind must be known, the fields that its kind needs must be there, and
// numbers must be finite. Other fields are ignored. Rays are `from` a point `along` a direction, in metres.
#ifndef APP_VIEW_MESSAGE_H
#define APP_VIEW_MESSAGE_H

#include <pliant/base.h>

typedef enum message_kind
{
    MESSAGE_FRAME, // I have drawn what I had; send the next one
    MESSAGE_PLAY,
    MESSAGE_PAUSE,
    MESSAGE_STEP,   // one tick, or frame of a replay
    MESSAGE_RESET,  // to the beginning
    MESSAGE_SPEED,  // value: simulated seconds per second
    MESSAGE_SET,    // path, value: a live parameter
    MESSAGE_COLOR,  // name: of a field, "speed" or "body"
    MESSAGE_TOUCH,  // hand, name of a tool, from, along, facing: a hand goes down
    MESSAGE_DRAG,   // hand, from, along
    MESSAGE_LIFT,   // hand
    MESSAGE_GRIP,   // value: factor on how firmly hands hold
    MESSAGE_MARK,   // remember this state
    MESSAGE_RETURN, // and come back to it
    MESSAGE_RECORD, // begin
    MESSAGE_CUT,    // end: a movie seen from `from`, looking `along`, value: the field of view [degrees]
    MESSAGE_SEEK,   // value: a frame of a replay
    MESSAGE_LIVE    // go on from this frame of a replay
} message_kind;

enum
{
    MESSAGE_BYTES = 4096, // at most
    MESSAGE_HANDS = 10    // of one page
};

typedef struct message
{
    message_kind kind;
    int32_t hand; // in [0, MESSAGE_HANDS)
    double value;
    double from[3], along[3], facing[3];
    char path[160];
    char name[32];
} message;

// Read one. Fails with PL_ERR_FORMAT and a sentence, or PL_ERR_MEMORY; `out` is then of no use.
PL_NODISCARD pl_status message_parse(pl_context *ctx, const void *bytes, size_t size, message *out);

#endif
