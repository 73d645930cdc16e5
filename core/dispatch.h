// One wheel serves every x86-64 CPU: a loop is compiled twice, and the version is chosen at run time.
#pragma once

#define LIKEWISE_ALWAYS_INLINE __attribute__((always_inline))  // also of lambdas
#define LIKEWISE_INLINE inline LIKEWISE_ALWAYS_INLINE

#if defined(__x86_64__) && defined(__GNUC__)
// Defines `void name parameters { body; }`, once for any CPU and once for those with AVX2.
#define LIKEWISE_DISPATCH(name, parameters, body)                            \
    __attribute__((target("avx2"))) void name##_avx2 parameters { body; }    \
    void name##_any parameters { body; }                                     \
    const auto name = __builtin_cpu_supports("avx2") ? name##_avx2 : name##_any;
// The same of a template: `prefix` is its parameters, `arguments` are those of the call.
#define LIKEWISE_DISPATCH_TEMPLATE(prefix, name, parameters, arguments, body)                \
    prefix __attribute__((target("avx2"))) void name##_avx2 parameters { body; }             \
    prefix void name##_any parameters { body; }                                              \
    prefix inline void name parameters {                                                     \
        static const bool wide = __builtin_cpu_supports("avx2");                             \
        wide ? name##_avx2 arguments : name##_any arguments;                                 \
    }
#else
#define LIKEWISE_DISPATCH(name, parameters, body) void name parameters { body; }
#define LIKEWISE_DISPATCH_TEMPLATE(prefix, name, parameters, arguments, body) prefix void name parameters { body; }
#endif
