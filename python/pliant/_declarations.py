"""The public headers in the words of ctypes. Made by tools/bind_python; do not edit."""
from ctypes import (CFUNCTYPE, POINTER as P, Structure, c_char_p as text, c_double as f64, c_float as f32, c_int, c_int32 as i32,
                    c_int64 as i64, c_size_t as size, c_uint32 as u32, c_uint64 as u64, c_void_p)

enum = status = c_int
ENUMS = {}  # name: enumerators, which count from zero
FUNCTIONS = {}  # name: (type of the result, types of the arguments)


def declare(name, result, *arguments):
    FUNCTIONS[name] = (result, arguments)


# ---- base.h ----------------------------------------------------------------------------------------------------------

ENUMS["pl_status"] = ("PL_OK", "PL_ERR_ARGUMENT", "PL_ERR_MEMORY", "PL_ERR_FILE", "PL_ERR_FORMAT", "PL_ERR_STATE",
    "PL_ERR_NUMERIC",)
declare("pl_status_name", text, status)
ENUMS["pl_log_level"] = ("PL_LOG_NOTE", "PL_LOG_WARNING",)


class pl_allocator(Structure):
    _enums_ = {}
    _fields_ = [
        ("allocate", CFUNCTYPE(c_void_p, c_void_p, size, size)),
        ("release", CFUNCTYPE(None, c_void_p, c_void_p, size)),
        ("user", c_void_p),
    ]


class pl_task_runner(Structure):
    _enums_ = {}
    _fields_ = [
        ("run", CFUNCTYPE(None, c_void_p, i32, CFUNCTYPE(None, c_void_p, i32), c_void_p)),
        ("user", c_void_p),
    ]


class pl_file_reader(Structure):
    _enums_ = {}
    _fields_ = [
        ("open", CFUNCTYPE(c_int, c_void_p, text, P(c_void_p), P(size))),
        ("close", CFUNCTYPE(None, c_void_p, c_void_p, size)),
        ("user", c_void_p),
    ]


class pl_context_def(Structure):
    _enums_ = {}
    _fields_ = [
        ("allocator", pl_allocator),
        ("log", CFUNCTYPE(None, c_void_p, enum, text)),
        ("log_user", c_void_p),
        ("file_reader", pl_file_reader),
        ("task_runner", pl_task_runner),
        ("thread_count", i32),
        ("cookie", u32),
    ]


class pl_context(Structure):
    pass


declare("pl_context_def_default", pl_context_def)
declare("pl_context_create", status, P(pl_context_def), P(P(pl_context)))
declare("pl_context_destroy", None, P(P(pl_context)))
declare("pl_context_error", text, P(pl_context))
declare("pl_context_error_path", text, P(pl_context))
declare("pl_context_memory", size, P(pl_context))
declare("pl_context_register_bytes", i32, P(pl_context))
declare("pl_context_thread_count", i32, P(pl_context))

# ---- mesh.h ----------------------------------------------------------------------------------------------------------


class pl_mesh(Structure):
    pass


class pl_surface(Structure):
    pass


ENUMS["pl_element_kind"] = ("PL_ELEMENT_TET", "PL_ELEMENT_HEX", "PL_ELEMENT_TRIANGLE",)
declare("pl_element_corners", i32, enum)
declare("pl_mesh_create", status, P(pl_context), P(f64), i32, P(i32), i32, P(P(pl_mesh)))
declare("pl_mesh_create_elements", status, P(pl_context), enum, P(f64), i32, P(i32), i32, P(P(pl_mesh)))
declare("pl_mesh_destroy", None, P(P(pl_mesh)))
declare("pl_mesh_kind", enum, P(pl_mesh))
declare("pl_mesh_node_count", i32, P(pl_mesh))
declare("pl_mesh_element_count", i32, P(pl_mesh))
declare("pl_mesh_positions", P(f64), P(pl_mesh))
declare("pl_mesh_elements", P(i32), P(pl_mesh))
declare("pl_mesh_tet_count", i32, P(pl_mesh))
declare("pl_mesh_tets", P(i32), P(pl_mesh))
declare("pl_mesh_triangle_count", i32, P(pl_mesh))
declare("pl_mesh_triangles", P(i32), P(pl_mesh))
declare("pl_mesh_region_count", i32, P(pl_mesh))
declare("pl_mesh_region_name", text, P(pl_mesh), i32)
declare("pl_mesh_element_regions", P(i32), P(pl_mesh))
declare("pl_mesh_attribute_count", i32, P(pl_mesh))
declare("pl_mesh_attribute_name", text, P(pl_mesh), i32)
declare("pl_mesh_attribute_components", i32, P(pl_mesh), i32)
declare("pl_mesh_attribute_values", P(f64), P(pl_mesh), i32)
declare("pl_mesh_volume", f64, P(pl_mesh))
declare("pl_mesh_area", f64, P(pl_mesh))
declare("pl_mesh_dihedral_range", None, P(pl_mesh), P(f64), P(f64))
declare("pl_surface_create", status, P(pl_context), P(f64), i32, P(i32), i32, P(P(pl_surface)))
declare("pl_surface_destroy", None, P(P(pl_surface)))
declare("pl_surface_node_count", i32, P(pl_surface))
declare("pl_surface_triangle_count", i32, P(pl_surface))
declare("pl_surface_positions", P(f64), P(pl_surface))
declare("pl_surface_triangles", P(i32), P(pl_surface))
declare("pl_surface_uv_count", i32, P(pl_surface))
declare("pl_surface_uvs", P(f64), P(pl_surface))
declare("pl_surface_triangle_uvs", P(i32), P(pl_surface))
declare("pl_surface_group_count", i32, P(pl_surface))
declare("pl_surface_group_name", text, P(pl_surface), i32)
declare("pl_surface_triangle_groups", P(i32), P(pl_surface))
declare("pl_surface_attribute_count", i32, P(pl_surface))
declare("pl_surface_attribute_name", text, P(pl_surface), i32)
declare("pl_surface_attribute_components", i32, P(pl_surface), i32)
declare("pl_surface_attribute_values", P(f64), P(pl_surface), i32)


class pl_surface_info(Structure):
    _enums_ = {}
    _fields_ = [
        ("open_edges", i32),
        ("turned_edges", i32),
        ("crowded_edges", i32),
        ("parts", i32),
        ("unused", i32),
        ("area", f64),
        ("volume", f64),
        ("lower", f64 * 3),
        ("upper", f64 * 3),
    ]


declare("pl_surface_survey", status, P(pl_surface), P(pl_surface_info))
ENUMS["pl_shape_kind"] = ("PL_SHAPE_BOX", "PL_SHAPE_SPHERE", "PL_SHAPE_TORUS", "PL_SHAPE_CYLINDER", "PL_SHAPE_SHEET",
    "PL_SHAPE_DISK", "PL_SHAPE_TUBE", "PL_SHAPE_HALF_TORUS", "PL_SHAPE_RECTANGLE",)
ENUMS["pl_shape_cut"] = ("PL_CUT_FIVE", "PL_CUT_SIX", "PL_CUT_BCC",)
ENUMS["pl_shape_pattern"] = ("PL_PATTERN_ALTERNATING", "PL_PATTERN_DIAGONAL", "PL_PATTERN_IRREGULAR",)


class pl_shape_def(Structure):
    _enums_ = {"kind": "pl_shape_kind", "cut": "pl_shape_cut", "elements": "pl_element_kind", "pattern": "pl_shape_pattern"}
    _fields_ = [
        ("kind", enum),
        ("extent", f64 * 3),
        ("radius", f64),
        ("tube", f64),
        ("edge", f64),
        ("cut", enum),
        ("jitter", f64),
        ("seed", u64),
        ("elements", enum),
        ("pattern", enum),
        ("cookie", u32),
    ]


declare("pl_shape_def_default", pl_shape_def)
declare("pl_mesh_create_shape", status, P(pl_context), P(pl_shape_def), P(P(pl_mesh)))
ENUMS["pl_stuffing_mode"] = ("PL_STUFFING_FITTED", "PL_STUFFING_COVERING", "PL_STUFFING_SNUG",)


class pl_stuffing_def(Structure):
    _enums_ = {"mode": "pl_stuffing_mode", "elements": "pl_element_kind"}
    _fields_ = [
        ("mode", enum),
        ("size", f64),
        ("elements", enum),
        ("cookie", u32),
    ]


declare("pl_stuffing_def_default", pl_stuffing_def)
pl_implicit_function = CFUNCTYPE(f64, c_void_p, P(f64))
declare("pl_mesh_create_from_implicit", status, P(pl_context), P(pl_stuffing_def), P(f64), P(f64), pl_implicit_function, c_void_p, P(P(pl_mesh)))
declare("pl_mesh_create_from_surface", status, P(pl_context), P(pl_stuffing_def), P(pl_surface), P(P(pl_mesh)))
declare("pl_mesh_create_from_triangles", status, P(pl_context), P(pl_surface), P(P(pl_mesh)))

# ---- export.h --------------------------------------------------------------------------------------------------------

ENUMS["pl_export_format"] = ("PL_EXPORT_PLY", "PL_EXPORT_VTU", "PL_EXPORT_PC2", "PL_EXPORT_USD", "PL_EXPORT_GLB",
    "PL_EXPORT_NPY", "PL_EXPORT_OBJ", "PL_EXPORT_VDB",)
declare("pl_export_format_name", text, enum)
declare("pl_export_format_find", status, P(pl_context), text, P(enum))


class pl_frame_field(Structure):
    _enums_ = {}
    _fields_ = [
        ("name", text),
        ("components", i32),
        ("per_cell", i32),
        ("values", P(f64)),
    ]


class pl_frame_body(Structure):
    _enums_ = {"cell_kind": "pl_element_kind"}
    _fields_ = [
        ("name", text),
        ("vertex_count", i32),
        ("vertices", P(f64)),
        ("vertex_velocities", P(f64)),
        ("normals", P(f64)),
        ("triangle_count", i32),
        ("triangles", P(i32)),
        ("radii", P(f64)),
        ("vertex_strains", P(f64)),
        ("vertex_temperatures", P(f64)),
        ("uv_count", i32),
        ("uvs", P(f64)),
        ("triangle_uvs", P(i32)),
        ("group_count", i32),
        ("group_names", P(text)),
        ("triangle_groups", P(i32)),
        ("node_count", i32),
        ("nodes", P(f64)),
        ("node_velocities", P(f64)),
        ("rest_nodes", P(f64)),
        ("cell_kind", enum),
        ("cell_count", i32),
        ("cells", P(i32)),
        ("field_count", i32),
        ("fields", P(pl_frame_field)),
        ("color", f64 * 3),
    ]


class pl_frame(Structure):
    _enums_ = {}
    _fields_ = [
        ("number", i32),
        ("time", f64),
        ("body_count", i32),
        ("bodies", P(pl_frame_body)),
    ]


class pl_frame_source(Structure):
    _enums_ = {}
    _fields_ = [
        ("frame_count", i32),
        ("fps", f64),
        ("read", CFUNCTYPE(status, c_void_p, i32, P(P(pl_frame)))),
        ("user", c_void_p),
        ("time_scale", f64),
    ]


declare("pl_export", status, P(pl_context), enum, text, P(pl_frame_source))

# ---- io.h ------------------------------------------------------------------------------------------------------------

ENUMS["pl_file_format"] = ("PL_FILE_BY_NAME", "PL_FILE_MSH22_TEXT", "PL_FILE_MSH22_BINARY", "PL_FILE_MSH41_TEXT",
    "PL_FILE_MSH41_BINARY", "PL_FILE_TETGEN", "PL_FILE_OBJ", "PL_FILE_PLY", "PL_FILE_STL", "PL_FILE_MEDIT", "PL_FILE_VEGA",
    "PL_FILE_VTK", "PL_FILE_VTU",)
declare("pl_mesh_load", status, P(pl_context), text, P(P(pl_mesh)))
declare("pl_mesh_parse", status, P(pl_context), enum, text, c_void_p, size, P(P(pl_mesh)))
declare("pl_mesh_parse_tetgen", status, P(pl_context), text, c_void_p, size, text, c_void_p, size, P(P(pl_mesh)))
declare("pl_mesh_save", status, P(pl_mesh), text, enum)
declare("pl_surface_load", status, P(pl_context), text, P(P(pl_surface)))
declare("pl_surface_parse", status, P(pl_context), enum, text, c_void_p, size, P(P(pl_surface)))
declare("pl_surface_save", status, P(pl_surface), text)
declare("pl_obj_write", status, P(pl_context), text, P(f64), i32, P(i32), i32)

# ---- material.h ------------------------------------------------------------------------------------------------------

ENUMS["pl_material_kind"] = ("PL_MATERIAL_ROTATED_LINEAR", "PL_MATERIAL_STVK", "PL_MATERIAL_NEO_HOOKEAN",
    "PL_MATERIAL_ISOCHORIC_NEO_HOOKEAN", "PL_MATERIAL_MOONEY_RIVLIN", "PL_MATERIAL_FUNG", "PL_MATERIAL_SPLINE",
    "PL_MATERIAL_STABLE_NEO_HOOKEAN", "PL_MATERIAL_FIXED_COROTATED", "PL_MATERIAL_LINEAR", "PL_MATERIAL_CUSTOM",)
ENUMS["pl_inversion"] = ("PL_INVERSION_ENERGY", "PL_INVERSION_LINEAR", "PL_INVERSION_DET", "PL_INVERSION_CONSTANT",
    "PL_INVERSION_NONE",)
ENUMS["pl_damping_model"] = ("PL_DAMPING_SWITCH", "PL_DAMPING_ROTATED", "PL_DAMPING_CONSERVING",)
ENUMS["pl_recovery"] = ("PL_RECOVERY_AUTO", "PL_RECOVERY_OFF",)
pl_law_function = CFUNCTYPE(None, c_void_p, P(f64), P(f64), P(f64), P(f64))
ENUMS["pl_yield_criterion"] = ("PL_YIELD_STRAIN", "PL_YIELD_VON_MISES",)
ENUMS["pl_plastic_form"] = ("PL_PLASTIC_MULTIPLICATIVE", "PL_PLASTIC_ADDITIVE",)


class pl_material_def(Structure):
    _enums_ = {"kind": "pl_material_kind", "inversion": "pl_inversion", "damping_model": "pl_damping_model", "recovery": "pl_recovery", "yield_criterion": "pl_yield_criterion", "plastic_form": "pl_plastic_form"}
    _fields_ = [
        ("kind", enum),
        ("young", f64),
        ("poisson", f64),
        ("density", f64),
        ("damping", f64),
        ("threshold", f64),
        ("limit", f64),
        ("inversion", enum),
        ("damping_model", enum),
        ("recovery", enum),
        ("incompressible", i32),
        ("mooney", f64),
        ("stiffening", f64),
        ("stiffening_share", f64),
        ("spline_low", f64),
        ("spline_high", f64),
        ("spline_stiffening", f64),
        ("fiber_strength", f64),
        ("fiber_optimal", f64),
        ("activation", f64),
        ("weave_weft", f64),
        ("weave_shear", f64),
        ("weave_stiffening", f64),
        ("weave_compression", f64),
        ("stretch_limit", f64),
        ("compress_limit", f64),
        ("weft_limit", f64),
        ("shear_limit", f64),
        ("bend_limit", f64),
        ("law", pl_law_function),
        ("law_user", c_void_p),
        ("yield_strain", f64),
        ("hardening", f64),
        ("plastic_limit", f64),
        ("yield_criterion", enum),
        ("plastic_form", enum),
        ("isochoric", i32),
        ("creep", f64),
        ("plastic_max", f64),
        ("fracture_stress", f64),
        ("fracture_spread", f64),
        ("melting", f64),
        ("melt_young", f64),
        ("melt_yield", f64),
        ("melt_creep", f64),
        ("cooling", f64),
        ("diffusivity", f64),
        ("cookie", u32),
    ]


declare("pl_material_def_default", pl_material_def)
declare("pl_material_lame", None, f64, f64, P(f64), P(f64))
declare("pl_material_evaluate", status, P(pl_context), P(pl_material_def), P(f64), P(f64), P(f64))
declare("pl_material_evaluate_fiber", status, P(pl_context), P(pl_material_def), f64, P(f64), P(f64))
declare("pl_stress_from_cauchy", None, P(f64), P(f64), P(f64), P(f64), P(f64))
declare("pl_stress_from_second_piola", None, P(f64), P(f64), P(f64), P(f64), P(f64))
declare("pl_material_kind_name", text, i32)

# ---- scene.h ---------------------------------------------------------------------------------------------------------


class pl_scene(Structure):
    pass


class pl_material_id(Structure):
    _enums_ = {}
    _fields_ = [
        ("index", i32),
    ]


class pl_body_id(Structure):
    _enums_ = {}
    _fields_ = [
        ("index", i32),
    ]


class pl_object_id(Structure):
    _enums_ = {}
    _fields_ = [
        ("index", i32),
    ]


declare("pl_scene_create", status, P(pl_context), P(P(pl_scene)))
declare("pl_scene_destroy", None, P(P(pl_scene)))
declare("pl_scene_set_gravity", status, P(pl_scene), P(f64))
ENUMS["pl_integrator"] = ("PL_INTEGRATOR_SEMI_IMPLICIT", "PL_INTEGRATOR_IMPLICIT_EULER",)
ENUMS["pl_velocity_update"] = ("PL_VELOCITY_MIDPOINT", "PL_VELOCITY_TRAPEZOID",)
ENUMS["pl_object_contact"] = ("PL_CONTACT_EXACT", "PL_CONTACT_PROJECTED",)


class pl_solver_def(Structure):
    _enums_ = {"integrator": "pl_integrator", "velocity_update": "pl_velocity_update", "object_contact": "pl_object_contact"}
    _fields_ = [
        ("integrator", enum),
        ("velocity_update", enum),
        ("object_contact", enum),
        ("substep", f64),
        ("collision_interval", f64),
        ("safety", f64),
        ("tolerance", f64),
        ("iterations", i32),
        ("newton", i32),
        ("newton_tolerance", f64),
        ("mass_damping", f64),
        ("sleep", i32),
        ("sleep_speed", f64),
        ("sleep_time", f64),
        ("volume_recovery", f64),
        ("fracture_interval", f64),
        ("limit_levels", i32),
        ("limit_sweeps", i32),
        ("limit_cycles", i32),
        ("cookie", u32),
    ]


declare("pl_solver_def_default", pl_solver_def)
declare("pl_scene_set_solver", status, P(pl_scene), P(pl_solver_def))


class pl_air_def(Structure):
    _enums_ = {}
    _fields_ = [
        ("wind", f64 * 3),
        ("density", f64),
        ("pressure", f64),
        ("cookie", u32),
    ]


declare("pl_air_def_default", pl_air_def)
declare("pl_scene_set_air", status, P(pl_scene), P(pl_air_def))


class pl_heat_def(Structure):
    _enums_ = {}
    _fields_ = [
        ("at", f64 * 3),
        ("radius", f64),
        ("power", f64),
        ("cookie", u32),
    ]


declare("pl_heat_def_default", pl_heat_def)
declare("pl_scene_add_heat", status, P(pl_scene), text, P(pl_heat_def))
declare("pl_scene_add_material", status, P(pl_scene), text, P(pl_material_def), P(pl_material_id))
ENUMS["pl_body_kind"] = ("PL_BODY_SOLID", "PL_BODY_SHELL", "PL_BODY_PLANAR",)
ENUMS["pl_membrane"] = ("PL_MEMBRANE_CONTINUUM", "PL_MEMBRANE_WOVEN", "PL_MEMBRANE_SPRINGS",)
ENUMS["pl_bending"] = ("PL_BENDING_CURVATURE", "PL_BENDING_HINGES", "PL_BENDING_NONE",)
ENUMS["pl_plane"] = ("PL_PLANE_STRAIN", "PL_PLANE_STRESS",)


class pl_body_def(Structure):
    _enums_ = {"kind": "pl_body_kind", "membrane": "pl_membrane", "bending": "pl_bending", "plane": "pl_plane"}
    _fields_ = [
        ("mesh", P(pl_mesh)),
        ("kind", enum),
        ("surface", P(pl_surface)),
        ("material", pl_material_id),
        ("region_materials", P(pl_material_id)),
        ("at", f64 * 3),
        ("rotate", f64 * 3),
        ("velocity", f64 * 3),
        ("spin", f64 * 3),
        ("strength", f64),
        ("pins", P(i32)),
        ("pin_count", i32),
        ("element_materials", P(pl_material_id)),
        ("young_factors", P(f64)),
        ("density_factors", P(f64)),
        ("damping_factors", P(f64)),
        ("start_positions", P(f64)),
        ("thickness", f64),
        ("membrane", enum),
        ("bending", enum),
        ("bending_factor", f64),
        ("warp", f64 * 3),
        ("plane", enum),
        ("normals", P(f64)),
        ("fibers", P(f64)),
        ("goal_positions", P(f64)),
        ("drag", f64),
        ("pressure", f64),
        ("gas", i32),
        ("collides", i32),
        ("self_collision", i32),
        ("collision_thickness", f64),
        ("friction", f64),
        ("cuttable", i32),
        ("toughness", f64),
        ("volume", f64),
        ("smallest_piece", i32),
        ("most_torn", i32),
        ("fracture_seed", u64),
        ("triangular_rest", i32),
        ("cookie", u32),
    ]


declare("pl_body_def_default", pl_body_def)
declare("pl_scene_add_body", status, P(pl_scene), text, P(pl_body_def), P(pl_body_id))


class pl_pin_def(Structure):
    _enums_ = {}
    _fields_ = [
        ("nodes", P(i32)),
        ("count", i32),
        ("strength", f64),
        ("soft", f64),
        ("move", f64 * 3),
        ("rotate", f64 * 3),
        ("pivot", f64 * 3),
        ("pivot_at_center", i32),
        ("cache", P(f64)),
        ("cache_count", i32),
        ("cache_start", f64),
        ("cache_rate", f64),
        ("cookie", u32),
    ]


declare("pl_pin_def_default", pl_pin_def)
declare("pl_scene_add_pin", status, P(pl_scene), pl_body_id, P(pl_pin_def), P(i32))
ENUMS["pl_object_kind"] = ("PL_OBJECT_PLANE", "PL_OBJECT_SPHERE", "PL_OBJECT_WEDGE", "PL_OBJECT_BOX",
    "PL_OBJECT_ELLIPSOID", "PL_OBJECT_CAPSULE", "PL_OBJECT_CYLINDER", "PL_OBJECT_CONE", "PL_OBJECT_TORUS",
    "PL_OBJECT_GEAR", "PL_OBJECT_STAIRS", "PL_OBJECT_HEIGHT_FIELD", "PL_OBJECT_SURFACE", "PL_OBJECT_UNION",
    "PL_OBJECT_DIFFERENCE", "PL_OBJECT_ACTOR", "PL_OBJECT_BODY",)
ENUMS["pl_object_meeting"] = ("PL_MEETING_DISTANCE", "PL_MEETING_SURFACE", "PL_MEETING_AUTO",)
ENUMS["pl_object_lookup"] = ("PL_LOOKUP_AUTO", "PL_LOOKUP_EXACT", "PL_LOOKUP_GRID",)


class pl_object_def(Structure):
    _enums_ = {"kind": "pl_object_kind", "lookup": "pl_object_lookup", "contact": "pl_object_meeting"}


pl_object_def._fields_ = [
    ("kind", enum),
    ("at", f64 * 3),
    ("normal", f64 * 3),
    ("radius", f64),
    ("velocity", f64 * 3),
    ("rotate", f64 * 3),
    ("spin", f64 * 3),
    ("friction", f64),
    ("extent", f64 * 3),
    ("height", f64),
    ("top_radius", f64),
    ("tube", f64),
    ("rounding", f64),
    ("angle", f64),
    ("teeth", i32),
    ("module", f64),
    ("thickness", f64),
    ("bore", f64),
    ("pressure_angle", f64),
    ("steps", i32),
    ("rise", f64),
    ("run", f64),
    ("width", f64),
    ("heights", P(f64)),
    ("rows", i32),
    ("columns", i32),
    ("surface", P(pl_surface)),
    ("lookup", enum),
    ("cell", f64),
    ("part", P(pl_object_def)),
    ("part_count", i32),
    ("cache", P(f64)),
    ("cache_count", i32),
    ("cache_start", f64),
    ("cache_rate", f64),
    ("depth", f64),
    ("body", text),
    ("contact", enum),
    ("collision_thickness", f64),
    ("cookie", u32),
]


declare("pl_object_def_default", pl_object_def)
declare("pl_scene_add_object", status, P(pl_scene), text, P(pl_object_def), P(pl_object_id))
declare("pl_points_rotate", None, P(f64), P(f64), i32)
declare("pl_scene_set_friction", status, P(pl_scene), text, text, f64)
ENUMS["pl_ease"] = ("PL_EASE_LINEAR", "PL_EASE_SMOOTH", "PL_EASE_STEP",)


class pl_keys_def(Structure):
    _enums_ = {"ease": "pl_ease"}
    _fields_ = [
        ("times", P(f64)),
        ("values", P(f64)),
        ("count", i32),
        ("components", i32),
        ("ease", enum),
        ("cookie", u32),
    ]


declare("pl_keys_def_default", pl_keys_def)
declare("pl_keys_evaluate", None, P(pl_keys_def), f64, P(f64))
declare("pl_scene_set_keys", status, P(pl_scene), text, P(pl_keys_def))
declare("pl_scene_load", status, P(pl_context), text, P(P(pl_scene)))
declare("pl_scene_load_changed", status, P(pl_context), text, P(text), i32, P(P(pl_scene)))
declare("pl_scene_parse", status, P(pl_context), text, c_void_p, size, P(P(pl_scene)))


class pl_shot(Structure):
    _enums_ = {}
    _fields_ = [
        ("frames", i32),
        ("fps", f64),
        ("time_scale", f64),
    ]


declare("pl_scene_shot", pl_shot, P(pl_scene))

# ---- liquid.h --------------------------------------------------------------------------------------------------------


class pl_liquid_id(Structure):
    _enums_ = {}
    _fields_ = [
        ("index", i32),
    ]


ENUMS["pl_side"] = ("PL_SIDE_LOWER_X", "PL_SIDE_UPPER_X", "PL_SIDE_LOWER_Y", "PL_SIDE_UPPER_Y", "PL_SIDE_LOWER_Z",
    "PL_SIDE_UPPER_Z",)


class pl_domain_def(Structure):
    _enums_ = {}
    _fields_ = [
        ("lower", f64 * 3),
        ("upper", f64 * 3),
        ("size", f64),
        ("depth", f64),
        ("open", u32),
        ("grow", u32),
        ("most_cells", f64),
        ("held", i32),
        ("level", f64),
        ("velocity", f64 * 3),
        ("sponge", f64),
        ("cfl", f64),
        ("confinement", f64),
        ("tolerance", f64),
        ("particles", i32),
        ("seed", i32),
        ("cookie", u32),
    ]


declare("pl_domain_def_default", pl_domain_def)
declare("pl_scene_set_domain", status, P(pl_scene), P(pl_domain_def))
ENUMS["pl_liquid_volume"] = ("PL_VOLUME_FREE", "PL_VOLUME_HOLD",)
ENUMS["pl_liquid_wall"] = ("PL_WALL_NO_SLIP", "PL_WALL_SLIP",)
ENUMS["pl_liquid_strain"] = ("PL_STRAIN_ROTATED", "PL_STRAIN_LINEAR",)
ENUMS["pl_liquid_shear"] = ("PL_SHEAR_COUPLED", "PL_SHEAR_SEPARATE",)
ENUMS["pl_liquid_kind"] = ("PL_LIQUID_START", "PL_LIQUID_SOURCE", "PL_LIQUID_DRAIN", "PL_LIQUID_BODY",)


class pl_liquid_def(Structure):
    _enums_ = {"kind": "pl_liquid_kind", "strain": "pl_liquid_strain", "shear": "pl_liquid_shear", "wall": "pl_liquid_wall", "volume": "pl_liquid_volume"}
    _fields_ = [
        ("shape", P(pl_object_def)),
        ("level", f64),
        ("at", f64 * 3),
        ("rotate", f64 * 3),
        ("velocity", f64 * 3),
        ("spin", f64 * 3),
        ("kind", enum),
        ("rate", f64),
        ("start", f64),
        ("end", f64),
        ("valve", f64),
        ("melted", f64),
        ("body", text),
        ("of", i32),
        ("density", f64),
        ("viscosity", f64),
        ("elasticity", f64),
        ("yield", f64),
        ("flow", f64),
        ("hardening", f64),
        ("temperature", f64),
        ("melting", f64),
        ("melt_viscosity", f64),
        ("melt_elasticity", f64),
        ("diffusivity", f64),
        ("cooling", f64),
        ("strain", enum),
        ("shear", enum),
        ("tension", f64),
        ("foam", f64),
        ("foam_life", f64),
        ("wall", enum),
        ("volume", enum),
        ("cookie", u32),
    ]


declare("pl_liquid_def_default", pl_liquid_def)
declare("pl_scene_add_liquid", status, P(pl_scene), text, P(pl_liquid_def), P(pl_liquid_id))
declare("pl_scene_add_setting", status, P(pl_scene), text, text, f64, f64)


class pl_vortices_def(Structure):
    _enums_ = {}
    _fields_ = [
        ("at", f64 * 3),
        ("radius", f64),
        ("rate", f64),
        ("vorticity", f64),
        ("strength", f64),
        ("life", f64),
        ("power", f64),
        ("start", f64),
        ("end", f64),
        ("cookie", u32),
    ]


declare("pl_vortices_def_default", pl_vortices_def)
declare("pl_scene_add_vortices", status, P(pl_scene), text, text, P(pl_vortices_def))

# ---- world.h ---------------------------------------------------------------------------------------------------------


class pl_world(Structure):
    pass


declare("pl_world_create", status, P(pl_scene), P(P(pl_world)))
declare("pl_world_destroy", None, P(P(pl_world)))


class pl_step_def(Structure):
    _enums_ = {}
    _fields_ = [
        ("dt", f64),
        ("max_substeps", i32),
        ("max_iterations", i32),
        ("finish", i32),
        ("cookie", u32),
    ]


declare("pl_step_def_default", pl_step_def)


class pl_step_info(Structure):
    _enums_ = {}
    _fields_ = [
        ("time", f64),
        ("advanced", f64),
        ("substeps", i32),
        ("smallest_dt", f64),
        ("cg_iterations", i32),
        ("unconverged", i32),
        ("kinetic", f64),
        ("elastic", f64),
        ("gravity", f64),
        ("mass", f64),
        ("center", f64 * 3),
        ("momentum", f64 * 3),
        ("angular", f64 * 3),
        ("volume", f64),
        ("volume_error", f64),
        ("ring_error", f64),
        ("volume_iterations", i32),
        ("min_J", f64),
        ("max_stretch", f64),
        ("strain", f64),
        ("dilation", f64),
        ("inverted", i32),
        ("contacts", i32),
        ("near_pairs", i32),
        ("collisions", i32),
        ("zone_nodes", i32),
        ("unresolved", i32),
        ("crossings", i64),
        ("friction_work", f64),
        ("limit_excess", f64),
        ("limit_excess_max", f64),
        ("bend_excess", f64),
        ("bend_excess_max", f64),
        ("limit_sweeps", i64),
        ("limit_cycles", i32),
        ("penetration", f64),
        ("recovering", i32),
        ("stuck", i32),
        ("torn", i32),
        ("sleeping", i32),
        ("liquid_volume", f64),
        ("liquid_spray", f64),
        ("liquid_added", f64),
        ("liquid_drift", f64),
        ("liquid_axes", f64 * 3),
        ("liquid_angle", f64),
        ("liquid_strain", f64),
        ("liquid_yielded", f64),
        ("liquid_speed", f64),
        ("liquid_iterations", i32),
        ("liquid_squeezed", f64),
        ("vortex_power", f64),
    ]


declare("pl_world_step", status, P(pl_world), P(pl_step_def), P(pl_step_info))
declare("pl_world_report", status, P(pl_world), P(pl_step_info))
declare("pl_body_report", status, P(pl_world), pl_body_id, P(pl_step_info))
declare("pl_world_count_crossings", status, P(pl_world), P(i64))
declare("pl_world_time", f64, P(pl_world))
declare("pl_world_pending", f64, P(pl_world))
declare("pl_world_stable_step", f64, P(pl_world))
declare("pl_world_find_body", pl_body_id, P(pl_world), text)
declare("pl_world_body_count", i32, P(pl_world))
declare("pl_world_body_at", pl_body_id, P(pl_world), i32)
declare("pl_body_name", text, P(pl_world), pl_body_id)
declare("pl_world_add_body", status, P(pl_world), text, P(pl_body_def), P(pl_body_id))
declare("pl_world_remove_body", status, P(pl_world), pl_body_id)
declare("pl_body_node_count", i32, P(pl_world), pl_body_id)
declare("pl_body_breaks", i32, P(pl_world), pl_body_id)
declare("pl_body_version", u32, P(pl_world), pl_body_id)
declare("pl_body_positions", P(f64), P(pl_world), pl_body_id)
declare("pl_body_velocities", P(f64), P(pl_world), pl_body_id)
declare("pl_body_node_order", P(i32), P(pl_world), pl_body_id)
declare("pl_body_read", status, P(pl_world), pl_body_id, P(f64), P(f64))
declare("pl_body_write", status, P(pl_world), pl_body_id, P(f64), P(f64))
declare("pl_body_element_kind", enum, P(pl_world), pl_body_id)
declare("pl_body_element_count", i32, P(pl_world), pl_body_id)
declare("pl_body_elements", P(i32), P(pl_world), pl_body_id)
declare("pl_body_read_rest", status, P(pl_world), pl_body_id, P(f64))
declare("pl_body_read_surface", u32, P(pl_world), pl_body_id, P(f32), P(f32), size)
declare("pl_body_read_surface_exact", status, P(pl_world), pl_body_id, P(f64), P(f64), P(f64))
declare("pl_body_surface_vertex_count", i32, P(pl_world), pl_body_id)
declare("pl_body_surface_triangles", P(i32), P(pl_world), pl_body_id, P(i32))
declare("pl_body_surface_nodes", P(i32), P(pl_world), pl_body_id)
declare("pl_body_surface_sources", P(i32), P(pl_world), pl_body_id)
declare("pl_body_read_surface_uvs", i32, P(pl_world), pl_body_id, P(f64))
ENUMS["pl_look"] = ("PL_LOOK_OPAQUE", "PL_LOOK_WATER", "PL_LOOK_SPRAY", "PL_LOOK_FOAM",)


class pl_drawable(Structure):
    _enums_ = {"look": "pl_look"}
    _fields_ = [
        ("name", text),
        ("stepper", text),
        ("body", pl_body_id),
        ("version", u32),
        ("vertex_count", i32),
        ("triangle_count", i32),
        ("triangles", P(i32)),
        ("color", f64 * 3),
        ("look", enum),
        ("absorption", f64 * 3),
        ("inner", P(i32)),
        ("radii", P(f64)),
        ("opacity", f64),
    ]


declare("pl_world_drawable_count", i32, P(pl_world))
declare("pl_world_drawable", status, P(pl_world), i32, P(pl_drawable))
declare("pl_drawable_read", status, P(pl_world), i32, P(f64), P(f64), P(f64))
declare("pl_drawable_read_field", status, P(pl_world), i32, text, P(f32))
declare("pl_drawable_report", status, P(pl_world), i32, P(pl_step_info))


class pl_liquid_cells(Structure):
    _enums_ = {}
    _fields_ = [
        ("boxes", P(f64)),
        ("phi", P(f64)),
        ("velocities", P(f64)),
        ("pressures", P(f64)),
        ("strains", P(f64)),
        ("liquids", P(f64)),
        ("temperatures", P(f64)),
    ]


declare("pl_world_liquid_cell_count", i32, P(pl_world))
declare("pl_world_liquid_read_cells", status, P(pl_world), P(pl_liquid_cells))


class pl_liquid_force(Structure):
    _enums_ = {}
    _fields_ = [
        ("force", f64 * 3),
        ("torque", f64 * 3),
        ("area", f64),
    ]


declare("pl_world_liquid_force", status, P(pl_world), pl_object_id, P(pl_liquid_force))
ENUMS["pl_body_field"] = ("PL_FIELD_J", "PL_FIELD_STRESS", "PL_FIELD_STRETCH", "PL_FIELD_ENERGY", "PL_FIELD_PRESSURE",
    "PL_FIELD_CAUCHY", "PL_FIELD_PLASTIC", "PL_FIELD_TEMPERATURE",)
declare("pl_body_field_name", text, i32)
declare("pl_body_field_components", i32, i32)
declare("pl_body_read_field", status, P(pl_world), pl_body_id, enum, P(f64))
declare("pl_body_read_surface_field", status, P(pl_world), pl_body_id, enum, P(f32))
declare("pl_world_cut", status, P(pl_world), P(f64), P(f64), P(f64), P(f64), P(i32))
declare("pl_world_heat", status, P(pl_world), P(f64), f64, f64)
declare("pl_world_pour", status, P(pl_world), text, P(f64), P(f64), f64, f64)
declare("pl_world_forget", status, P(pl_world), P(f64), f64, f64)
declare("pl_world_melt", status, P(pl_world), pl_body_id)
declare("pl_world_set_liquid", status, P(pl_world), text)
declare("pl_body_melts", i32, P(pl_world), pl_body_id)
declare("pl_body_set_pin", status, P(pl_world), pl_body_id, i32, i32)
declare("pl_body_move_pin", status, P(pl_world), pl_body_id, i32, P(f64))


class pl_hit(Structure):
    _enums_ = {}
    _fields_ = [
        ("body", pl_body_id),
        ("triangle", i32),
        ("weights", f64 * 3),
        ("point", f64 * 3),
        ("normal", f64 * 3),
        ("distance", f64),
        ("drawable", i32),
    ]


declare("pl_world_cast_ray", i32, P(pl_world), P(f64), P(f64), P(pl_hit))


class pl_grab_id(Structure):
    _enums_ = {}
    _fields_ = [
        ("index", i32),
    ]


declare("pl_world_grab", status, P(pl_world), P(pl_hit), f64, f64, P(pl_grab_id))
declare("pl_world_grab_move", status, P(pl_world), pl_grab_id, P(f64))
declare("pl_world_grab_read", status, P(pl_world), pl_grab_id, P(f64))
declare("pl_world_grab_count", i32, P(pl_world))
declare("pl_world_grab_at", pl_grab_id, P(pl_world), i32)
declare("pl_world_grab_release", status, P(pl_world), pl_grab_id)


class pl_param_id(Structure):
    _enums_ = {}
    _fields_ = [
        ("index", i32),
    ]


declare("pl_world_find_param", pl_param_id, P(pl_world), text)
declare("pl_world_set", status, P(pl_world), pl_param_id, f64)
declare("pl_world_get", f64, P(pl_world), pl_param_id)


class pl_param_info(Structure):
    _enums_ = {}
    _fields_ = [
        ("value", f64),
        ("low", f64),
        ("high", f64),
        ("keyed", i32),
        ("matters", i32),
        ("unit", text),
    ]


declare("pl_world_param_count", i32, P(pl_world))
declare("pl_world_param_at", pl_param_id, P(pl_world), i32)
declare("pl_world_param_describe", status, P(pl_world), pl_param_id, P(pl_param_info), text, size)
declare("pl_world_find_object", pl_object_id, P(pl_world), text)
declare("pl_world_object_count", i32, P(pl_world))
declare("pl_world_object_name", text, P(pl_world), i32)
declare("pl_object_read", status, P(pl_world), pl_object_id, P(pl_object_def))
declare("pl_object_surface", status, P(pl_world), pl_object_id, f64, P(P(pl_surface)))
declare("pl_object_set_target", status, P(pl_world), pl_object_id, P(f64))


class pl_contact(Structure):
    _enums_ = {}
    _fields_ = [
        ("body", pl_body_id),
        ("object", pl_object_id),
        ("other", pl_body_id),
        ("point", f64 * 3),
        ("normal", f64 * 3),
        ("impulse", f64),
    ]


ENUMS["pl_event_kind"] = ("PL_EVENT_BEGIN", "PL_EVENT_END",)


class pl_event(Structure):
    _enums_ = {"kind": "pl_event_kind"}
    _fields_ = [
        ("kind", enum),
        ("contact", pl_contact),
    ]


declare("pl_world_events", i32, P(pl_world), P(pl_event), i32)
declare("pl_world_contacts", i32, P(pl_world), P(pl_contact), i32)


class pl_contact_point(Structure):
    _enums_ = {}
    _fields_ = [
        ("body", pl_body_id),
        ("object", pl_object_id),
        ("other", pl_body_id),
        ("point", f64 * 3),
        ("normal", f64 * 3),
        ("distance", f64),
    ]


declare("pl_world_contact_points", status, P(pl_world), P(pl_contact_point), i32, P(i32))
declare("pl_world_save_size", size, P(pl_world))
declare("pl_world_save", status, P(pl_world), c_void_p, size)
declare("pl_world_load", status, P(pl_world), c_void_p, size)
declare("pl_world_load_branch", status, P(pl_world), c_void_p, size)
