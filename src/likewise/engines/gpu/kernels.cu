// Products on a card. Sums are of double precision and in an order that follows from the matrix
// alone: no atomic additions, so the same input gives the same bits.

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef long long i64;

#define ALL 0xffffffffu

// The amount of the q-th place that has one: f(count), or a real number.
__device__ inline double amount(const u8* counts, const double* table, u32 q) { return table[counts[q]]; }
__device__ inline double amount(const float* values, const double*, u32 q) { return values[q]; }

// The sum over `lanes` neighbouring threads, which all of them get.
template <int lanes>
__device__ inline double together(double sum) {
    for (int far = lanes / 2; far > 0; far /= 2) sum += __shfl_xor_sync(ALL, sum, far);
    return sum;
}

// A row times x, each of `lanes` threads taking every lanes-th place, `deep` of them at a time: what
// they load is asked for before any of it is used, so a row takes three waits for memory.
template <int lanes, int deep, class Place, class Amount, class T>
__device__ inline double row_dot(const u32* starts, const u32* more, const Place* places, const Amount* amounts,
                                 const double* table, const T* x, i64 row, int lane) {
    const u32 begin = starts[row], end = starts[row + 1], first = more[row], split = end - (more[row + 1] - first);
    const double one = table[1];
    double sum = 0;
    for (u32 base = begin + lane; base < end; base += lanes * deep) {
        u32 place[deep];
        double weight[deep];
#pragma unroll
        for (int k = 0; k < deep; ++k) {
            const u32 p = base + k * lanes;
            place[k] = p < end ? places[p] : 0;
            weight[k] = p < split ? one : p < end ? amount(amounts, table, first + (p - split)) : 0.0;
        }
#pragma unroll
        for (int k = 0; k < deep; ++k)
            if (base + k * lanes < end) sum += weight[k] * x[place[k]];
    }
    return sum;
}

// y[i] = factor[i] · Σ X[i, j]·x[j].
template <class Amount, class T>
__global__ void rows_dot(const u32* starts, const u32* more, const u32* places, const Amount* amounts,
                         const double* table, const T* x, const double* factor, T* y, i64 rows) {
    constexpr int lanes = 8, deep = 4;  // the fastest of five pairs on an H200
    const i64 thread = (i64)blockIdx.x * blockDim.x + threadIdx.x, step = (i64)gridDim.x * blockDim.x / lanes;
    const int lane = threadIdx.x % lanes;
    for (i64 base = thread / 32 * (32 / lanes); base < rows; base += step) {  // a warp stays together
        const i64 row = base + threadIdx.x % 32 / lanes;
        double sum = 0;
        if (row < rows) sum = row_dot<lanes, deep>(starts, more, places, amounts, table, x, row, lane);
        sum = together<lanes>(sum);
        if (lane == 0 && row < rows) y[row] = (T)(factor[row] * sum);
    }
}

// The same for `width` vectors side by side, the columns from `from` on; a warp has a row.
template <class Amount, class T>
__global__ void rows_dot_block(const u32* starts, const u32* more, const u32* places, const Amount* amounts,
                               const double* table, const T* x, const double* factor, T* y, i64 rows, int width,
                               int from) {
    constexpr int wide = 4;  // columns of a thread
    const int lane = threadIdx.x % 32;
    const i64 warps = (i64)gridDim.x * blockDim.x / 32;
    for (i64 row = ((i64)blockIdx.x * blockDim.x + threadIdx.x) / 32; row < rows; row += warps) {
        const u32 begin = starts[row], end = starts[row + 1], first = more[row];
        const u32 split = end - (more[row + 1] - first);
        double sums[wide] = {};
        for (u32 base = begin; base < end; base += 32) {
            const u32 p = base + lane;
            const u32 place = p < end ? places[p] : 0;
            const double mine = p < split ? table[1] : p < end ? amount(amounts, table, first + (p - split)) : 0.0;
            const int count = min(32u, end - base);
            for (int j = 0; j < count; ++j) {
                const T* at = x + (i64)__shfl_sync(ALL, place, j) * width + from;
                const double value = __shfl_sync(ALL, mine, j);
                for (int k = 0; k < wide; ++k)
                    if (from + lane + 32 * k < width) sums[k] += value * at[lane + 32 * k];
            }
        }
        for (int k = 0; k < wide; ++k)
            if (from + lane + 32 * k < width) y[row * width + from + lane + 32 * k] = (T)(factor[row] * sums[k]);
    }
}

// The lists by_size[begin] to by_size[end − 1], of which this warp has every stride-th few.
template <int lanes, int deep, class Amount>
__device__ inline void some_lists(const u32* starts, const u32* more, const u16* places, const Amount* amounts,
                                  const double* table, const u32* by_size, u32 begin, u32 end, u32 warp, u32 stride,
                                  const double* weights, double* partial) {
    constexpr u32 lists = 32 / lanes;
    const int lane = threadIdx.x % lanes;
    for (u32 base = begin + warp * lists; base < end; base += stride * lists) {
        const u32 i = base + threadIdx.x % 32 / lanes;
        const u32 list = i < end ? by_size[i] : 0;
        double sum = 0;
        if (i < end) sum = row_dot<lanes, deep>(starts, more, places, amounts, table, weights, list, lane);
        sum = together<lanes>(sum);
        if (lane == 0 && i < end) partial[list] = sum;
    }
}

// partial[l] = Σ over the documents of list l of X[i, j]·a[i]·factor[i], for the lists of a tile.
template <class Amount, class T>
__global__ void lists_dot(const u32* starts, const u32* more, const u16* places, const Amount* amounts,
                          const double* table, const u32* by_size, const u32* sizes, const T* a, const double* factor,
                          double* partial, i64 documents, int tile, int shares) {
    extern __shared__ double weights[];
    const i64 t = blockIdx.x / shares;
    const i64 first = t * tile;
    const int here = (int)min((i64)tile, documents - first);
    for (int i = threadIdx.x; i < here; i += blockDim.x) weights[i] = a[first + i] * factor[first + i];
    __syncthreads();
    const u32 warps = blockDim.x / 32, warp = blockIdx.x % shares * warps + threadIdx.x / 32, stride = shares * warps;
    const u32* size = sizes + 5 * t;
    some_lists<32, 8>(starts, more, places, amounts, table, by_size, size[3], size[4], warp, stride, weights, partial);
    some_lists<16, 8>(starts, more, places, amounts, table, by_size, size[2], size[3], warp, stride, weights, partial);
    some_lists<4, 6>(starts, more, places, amounts, table, by_size, size[1], size[2], warp, stride, weights, partial);
    some_lists<1, 4>(starts, more, places, amounts, table, by_size, size[0], size[1], warp, stride, weights, partial);
}

// out[term] += the sums of its lists, in their order.
__global__ void sum_lists(const double* partial, const u32* order, const u32* term_starts, const u32* terms,
                          double* out, i64 count) {
    constexpr int lanes = 8;
    const i64 thread = (i64)blockIdx.x * blockDim.x + threadIdx.x, step = (i64)gridDim.x * blockDim.x / lanes;
    const int lane = threadIdx.x % lanes;
    for (i64 base = thread / 32 * (32 / lanes); base < count; base += step) {
        const i64 i = base + threadIdx.x % 32 / lanes;
        double sum = 0;
        if (i < count)
            for (u32 p = term_starts[i] + lane; p < term_starts[i + 1]; p += lanes) sum += partial[order[p]];
        sum = together<lanes>(sum);
        if (lane == 0 && i < count) out[terms[i]] += sum;
    }
}

// out[targets[i]] += the sum of its group's rows of `added`, of `width` numbers each.
template <class T>
__global__ void add_groups(const u32* targets, const u32* starts, const double* added, T* out, i64 groups, int width) {
    const i64 step = (i64)gridDim.x * blockDim.x;
    for (i64 k = (i64)blockIdx.x * blockDim.x + threadIdx.x; k < groups * width; k += step) {
        const i64 group = k / width, column = k % width;
        double sum = 0;
        for (u32 p = starts[group]; p < starts[group + 1]; ++p) sum += added[(i64)p * width + column];
        out[(i64)targets[group] * width + column] += (T)sum;
    }
}

// Copies rows `ids` of one matrix to the rows `into` of another; a warp has a row.
template <class Amount>
__global__ void copy_rows(const u32* starts, const u32* more, const u32* places, const Amount* amounts, const i64* ids,
                          const i64* into, const u32* new_starts, const u32* new_more, u32* new_places,
                          Amount* new_amounts, i64 count) {
    const int lane = threadIdx.x % 32;
    const i64 warps = (i64)gridDim.x * blockDim.x / 32;
    for (i64 i = ((i64)blockIdx.x * blockDim.x + threadIdx.x) / 32; i < count; i += warps) {
        const u32 at = starts[ids[i]], length = starts[ids[i] + 1] - at, to = new_starts[into[i]];
        for (u32 p = lane; p < length; p += 32) new_places[to + p] = places[at + p];
        const u32 from = more[ids[i]], often = more[ids[i] + 1] - from, behind = new_more[into[i]];
        for (u32 p = lane; p < often; p += 32) new_amounts[behind + p] = amounts[from + p];
    }
}

// Numbers of three bytes, the lowest first.
__global__ void widen(const u8* bytes, u32* numbers, i64 count) {
    const i64 step = (i64)gridDim.x * blockDim.x;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step)
        numbers[i] = bytes[3 * i] | (u32)bytes[3 * i + 1] << 8 | (u32)bytes[3 * i + 2] << 16;
}

struct alignas(4) Bytes4 { signed char at[4]; };
struct alignas(16) Floats4 { float at[4]; };
template <class M> struct Four;
template <> struct Four<signed char> { typedef Bytes4 type; };
template <> struct Four<float> { typedef Floats4 type; };

// y[i] = factor[i] · Σ M[i, j]·x[j] for a dense matrix; a warp has a row, and reads four numbers at
// a time where rows are so aligned.
template <class M, class T>
__global__ void dense_dot(const M* matrix, const T* x, const double* factor, T* y, i64 rows, int width) {
    const int lane = threadIdx.x % 32;
    const i64 warps = (i64)gridDim.x * blockDim.x / 32;
    for (i64 row = ((i64)blockIdx.x * blockDim.x + threadIdx.x) / 32; row < rows; row += warps) {
        const M* at = matrix + row * width;
        double sum = 0;
        if (width % 4 == 0) {
            typedef typename Four<M>::type Quad;
            const Quad* quads = reinterpret_cast<const Quad*>(at);
            for (int j = lane; j < width / 4; j += 32) {
                const Quad four = quads[j];
                for (int k = 0; k < 4; ++k) sum += (double)four.at[k] * x[4 * j + k];
            }
        } else {
            for (int j = lane; j < width; j += 32) sum += (double)at[j] * x[j];
        }
        sum = together<32>(sum);
        if (lane == 0) y[row] = (T)(factor[row] * sum);
    }
}

// partial[s, j] = Σ over slab s of a[i]·factor[i]·M[i, j].
template <class M, class T>
__global__ void dense_sums(const M* matrix, const T* a, const double* factor, double* partial, i64 rows, int width,
                           i64 slab) {
    __shared__ double weights[256];
    const i64 begin = blockIdx.x * slab, end = min(begin + slab, rows);
    for (int from = 0; from < width; from += blockDim.x) {
        const int j = from + threadIdx.x;
        double sum = 0;
        for (i64 base = begin; base < end; base += 256) {
            const int here = (int)min((i64)256, end - base);
            __syncthreads();
            for (int i = threadIdx.x; i < here; i += blockDim.x) weights[i] = a[base + i] * factor[base + i];
            __syncthreads();
            if (j < width)
#pragma unroll 8
                for (int i = 0; i < here; ++i) sum += weights[i] * (double)matrix[(base + i) * width + j];
        }
        if (j < width) partial[(i64)blockIdx.x * width + j] = sum;
    }
}
