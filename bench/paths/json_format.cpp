// Path profiling benchmark: makes JSON, parses it, and prints it indented, with RapidJSON.
// SPDX-License-Identifier: BSD-2-Clause
//
// Usage: json_format RECORDS     prints the number of bytes and a checksum
#include <rapidjson/document.h>
#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace
{
uint64_t state = 1;

unsigned random_below(unsigned bound)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % bound;
}

using Writer = rapidjson::Writer<rapidjson::StringBuffer>;

void write_value(Writer &writer, int depth)
{
    switch (random_below(depth > 4 ? 4 : 6)) {
    case 0:
        writer.Uint(random_below(1000000));
        break;
    case 1:
        writer.Double(random_below(1000000) / 64.0);
        break;
    case 2:
        writer.String("text \"quoted\" \n and \xc3\xa4 more");
        break;
    case 3:
        writer.Bool(random_below(2));
        break;
    case 4:
        writer.StartArray();
        for (unsigned i = random_below(5); i > 0; i--)
            write_value(writer, depth + 1);
        writer.EndArray();
        break;
    default:
        writer.StartObject();
        for (unsigned i = random_below(4); i > 0; i--) {
            writer.Key("name");
            write_value(writer, depth + 1);
        }
        writer.EndObject();
    }
}
} // namespace

int main(int argc, char **argv)
{
    long records = argc > 1 ? atol(argv[1]) : 1000;
    uint64_t bytes = 0, sum = 0;
    for (long i = 0; i < records; i++) {
        rapidjson::StringBuffer text, pretty;
        Writer writer(text);
        write_value(writer, 0);
        rapidjson::Document document;
        document.Parse(text.GetString());
        rapidjson::PrettyWriter<rapidjson::StringBuffer> printer(pretty);
        document.Accept(printer);
        for (const char *c = pretty.GetString(); *c; c++)
            sum = sum * 31 + (unsigned char)*c;
        bytes += pretty.GetSize();
    }
    printf("%llu %llx\n", (unsigned long long)bytes, (unsigned long long)sum);
    return 0;
}
