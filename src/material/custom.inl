// src/material/custom.inl -- a user-defined law, evaluated lane by lane (pl_law_function in pliant/material.h).
PL_INLINE void custom(const pl_numbers_w *m, const pl_real_w s[3], pl_real_w *psi, pl_real_w p[3], pl_real_w h[6])
{
    double stretch[3][PL_LANES], energy[PL_LANES], out[9][PL_LANES];
    for (int i = 0; i < 3; ++i)
        pl_store_w(stretch[i], s[i]);
    for (int lane = 0; lane < PL_LANES; ++lane)
    {
        double at[3] = {stretch[0][lane], stretch[1][lane], stretch[2][lane]}, stress[3], derivative[6];
        m->law->function(m->law->user, at, &energy[lane], stress, derivative);
        for (int i = 0; i < 9; ++i)
            out[i][lane] = i < 3 ? stress[i] : derivative[i - 3];
    }
    *psi = pl_load_w(energy);
    for (int i = 0; i < 3; ++i)
        p[i] = pl_load_w(out[i]);
    for (int i = 0; i < 6; ++i)
        h[i] = pl_load_w(out[3 + i]);
}
