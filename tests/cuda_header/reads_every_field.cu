// The other side of examples/02_cuda_header.rs: finds every field of every record where the example has put it.
//
//   nvcc -std=c++17 -I FOLDER reads_every_field.cu -o check && ./check FOLDER/records.bin    on the host and on the GPU
//   g++ -x c++ -I FOLDER reads_every_field.cu -o check && ./check FOLDER/records.bin         on the host alone
#include "records.h"

#ifdef __CUDACC__
#define EVERYWHERE __host__ __device__
#else
#define EVERYWHERE
#endif

// The number of the first field that is not as `record(index)` of the example makes it; 0 if all are.
EVERYWHERE int first_wrong_field(const Record& r, unsigned int index) {
    const float f = static_cast<float>(index);
    const int small = static_cast<int>(index % 1000);
    const Kind kinds[3] = {Kind::Solid, Kind::Liquid, Kind::Gas};
    if (r.position[0] != f || r.position[1] != f + 0.25f || r.position[2] != -f) return 1;
    if (r.mass != f * 0.5f) return 2;
    if (r.id != static_cast<unsigned long long>(index) << 33) return 3;
    if (reinterpret_cast<unsigned long long>(r.next) != index * 16ull) return 4;
    for (int column = 0; column < 3; ++column) {
        if (r.matrix[0][column] != small + column || r.matrix[1][column] != -small - column) return 5;
    }
    if (r.kind != kinds[index % 3]) return 6;
    if (r.flags[0] != (index % 2 == 0) || r.flags[1] != (index % 5 == 0)) return 7;
    if (r.letter != 0x4e00 + index) return 8;
    if (r.key != index + 1) return 9;
    if (r.bits.number != f * 2.0f) return 10;
    if (r.pair.first != -static_cast<int>(index) || r.pair.others[0] != static_cast<int>(index)) return 11;
    if (r.pair.others[1] != 7) return 12;
    if (r.height._0 != index / 4.0) return 13;
    if (r.dense[0].code != index % 256 || r.dense[0].value != static_cast<double>(index)) return 14;
    if (r.dense[1].code != 255 || r.dense[1].value != -static_cast<double>(index)) return 15;
    if (r.class_ != static_cast<int>(index % 100) - 50) return 16;
    for (int byte = 0; byte < 13; ++byte) {
        if (r._pad[byte] != 0) return 17;
    }
    return 0;
}

#ifdef __CUDACC__
extern "C" __global__ void check(const Record* records, unsigned int count, int* wrong) {
    const unsigned int index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index < count) wrong[index] = first_wrong_field(records[index], index);
}
#endif

#ifndef __CUDACC_RTC__
#include <cstdio>
#include <vector>

static int report(const char* where, const std::vector<int>& wrong) {
    for (size_t index = 0; index < wrong.size(); ++index) {
        if (wrong[index] != 0) {
            std::printf("%s: field %d of record %zu is wrong\n", where, wrong[index], index);
            return 1;
        }
    }
    std::printf("%s: every field of %zu records is right\n", where, wrong.size());
    return 0;
}

int main(int argc, char** argv) {
    std::FILE* file = argc == 2 ? std::fopen(argv[1], "rb") : nullptr;
    if (file == nullptr) return std::printf("usage: %s records.bin\n", argv[0]), 2;
    std::vector<Record> records;
    for (Record next; std::fread(&next, sizeof next, 1, file) == 1;) records.push_back(next);
    std::fclose(file);
    if (records.empty()) return std::printf("%s holds no record\n", argv[1]), 2;

    std::vector<int> wrong(records.size());
    for (size_t index = 0; index < records.size(); ++index) {
        wrong[index] = first_wrong_field(records[index], static_cast<unsigned int>(index));
    }
    int status = report("host", wrong);
#ifdef __CUDACC__
    Record* device_records;
    int* device_wrong;
    const unsigned int count = static_cast<unsigned int>(records.size());
    cudaMalloc(&device_records, count * sizeof(Record));
    cudaMalloc(&device_wrong, count * sizeof(int));
    cudaMemcpy(device_records, records.data(), count * sizeof(Record), cudaMemcpyHostToDevice);
    cudaMemset(device_wrong, 0xff, count * sizeof(int));
    check<<<(count + 127) / 128, 128>>>(device_records, count, device_wrong);
    cudaMemcpy(wrong.data(), device_wrong, count * sizeof(int), cudaMemcpyDeviceToHost);
    const cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess) return std::printf("device: %s\n", cudaGetErrorString(error)), 1;
    status |= report("device", wrong);
#endif
    return status;
}
#endif
