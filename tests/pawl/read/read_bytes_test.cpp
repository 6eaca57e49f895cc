// read_bytes_test.cpp -- one text, several documents, text around them, and everything that breaks.
#include <fmt/format.h>

#include "parts.hpp"

namespace pawl::read {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

std::string what(std::string_view bytes) { return error_of(bytes).what(); }

TEST(ReadBytes, EachDocumentIsAProcessRun) {
  const std::string one = document(row("a", 1) + "," + row("b", 2)), two = document(row("b", 20) + "," + row("c", 30));
  for (const std::string& bytes : {one + two, one + "\n\xEF\xBB\xBF" + two, "[" + one + ",\n" + two + "]\n"}) {
    const model::ResultSet set = read_bytes(bytes, "f.json");
    EXPECT_THAT(set.processes, SizeIs(2));
    EXPECT_EQ(set.processes[1].file, "f.json (document 2)");
    EXPECT_THAT(names(set), ElementsAre("a", "b", "c"));
    ASSERT_THAT(find(set, "b")->readings, SizeIs(2));
    EXPECT_EQ(find(set, "b")->readings[1].process, 1U);
    EXPECT_THAT(std::vector<double>(find(set, "b")->readings[1].series[0].values), ElementsAre(20 / 1e9));
    EXPECT_THAT(set.oddities, IsEmpty());
  }
}

TEST(ReadBytes, TextAroundTheResultsIsPassedOver) {
  const auto set = read_bytes("Running ./bench\n{fmt} is here\n" + document(row("a", 1)) + "Done.\n", "f.json");
  EXPECT_THAT(names(set), ElementsAre("a"));
  EXPECT_THAT(oddities(set), ElementsAre("1:1 : text outside the results is passed over: Running ./bench",
                                         "2:1 : text outside the results is passed over: {fmt} is here",
                                         "7:1 : text outside the results is passed over: Done."));
}

TEST(ReadBytes, TextThatBenchmarksPrintAmongTheRowsIsPassedOver) {
  const auto lines = read_bytes(document("\nhello\n" + row("a", 1) + "\nprogress: 50 %\n,\n" + row("b", 2) +
                                         "printed at once\n,\n3 warnings\n" + row("c", 3) + "\nbye\n"),
                                "f.json");
  EXPECT_THAT(names(lines), ElementsAre("a", "b", "c"));
  EXPECT_THAT(oddities(lines), ElementsAre(HasSubstr("passed over: hello"), HasSubstr("passed over: progress: 50 %"),
                                           HasSubstr("passed over: printed at once"),
                                           HasSubstr("passed over: 3 warnings"), HasSubstr("passed over: bye")));
  const auto before_brace = read_bytes(document("\nhello {\n" + row("a", 1).substr(1)), "f.json");
  EXPECT_THAT(names(before_brace), ElementsAre("a"));
}

TEST(ReadBytes, ElementsThatAreNoRows) {
  const auto set = read_bytes(document("1, \"x\", [2], " + row("a", 1) + ", null"), "f.json");
  EXPECT_THAT(names(set), ElementsAre("a"));
  EXPECT_THAT(oddities(set), SizeIs(1));
  EXPECT_THAT(oddities(set)[0], HasSubstr("an element of the rows is no object: left out (4 times)"));
}

TEST(ReadBytes, StrayCommas) {
  const auto set = read_bytes(document("{\"name\": \"a\", \"real_time\": 1, \"time_unit\": \"s\",},"), "f.json");
  EXPECT_THAT(values(set, "a"), ElementsAre(1));
  EXPECT_THAT(oddities(set), ElementsAre(HasSubstr("a comma stands before the row's closing brace"),
                                         HasSubstr("a comma stands before the end of the rows")));
}

TEST(ReadBytes, NoRowsAreStillADocument) {
  const auto set = read_bytes(document(""), "f.json");
  EXPECT_THAT(set.benchmarks, IsEmpty());
  EXPECT_THAT(set.processes, SizeIs(1));
  EXPECT_THAT(oddities(set), ElementsAre("1:1 : the document has no rows (a filter that matches nothing?)"));
}

TEST(ReadBytes, ForeignKeysAndDocuments) {
  const auto keys = read_bytes("{\"benchmarks\": [" + row("a", 1) + "], \"extra\": {\"deep\": [1]}}", "f.json");
  EXPECT_THAT(oddities(keys), ElementsAre(HasSubstr("\"extra\" is no part of Google Benchmark's format: left out")));
  const auto beside = read_bytes(document(row("a", 1)) + "{\"other\": 1}", "f.json");
  EXPECT_THAT(oddities(beside),
              Contains(HasSubstr("a document that holds no results is left out: it has no \"benchmarks\" list")));
  const auto twice = read_bytes("{\"benchmarks\": [" + row("a", 1) + "], \"benchmarks\": [" + row("b", 1) + "]}", "f");
  EXPECT_THAT(names(twice), ElementsAre("a", "b"));
  EXPECT_THAT(oddities(twice), ElementsAre(HasSubstr("a second \"benchmarks\" list: read as well")));
}

TEST(ReadBytes, TruncationSaysWhereAndWhatCameBefore) {
  const std::string whole = document("\n" + row("a", 1) + ",\n" + row("b", 2) + ",\n" + row("BM_Read/8", 3) + "\n");
  const std::size_t third = whole.find("BM_Read/8", whole.find("BM_Read/8") + 1);
  EXPECT_EQ(
      what(whole.substr(0, third + 20)),
      fmt::format("f.json:6:{}: the file ends inside benchmark \"BM_Read/8\"; 2 complete rows before it were read",
                  third + 20 - whole.rfind('\n', third)));
  EXPECT_EQ(what(whole.substr(0, whole.find("BM_Read/8") + 3)),
            "f.json:6:14: the file ends inside row 3; 2 complete rows before it were read");
  EXPECT_THAT(what(whole.substr(0, whole.find("},\n{") + 2)),
              HasSubstr("the file ends inside the list of benchmarks; 1 complete row before it was read"));
  EXPECT_THAT(what(whole.substr(0, 20)), HasSubstr("f.json:2:19: the file ends inside the context; no complete row"));
  EXPECT_THAT(what(document(row("a", 1)) + whole.substr(0, third)),
              HasSubstr("inside benchmark \"BM_Read/8\" of document 2; 3 complete rows before it were read"));
}

TEST(ReadBytes, EveryTruncationIsAnErrorOrWhole) {
  const std::string whole = document(row("a", 1) + "," + row("b", 2, R"(, "label": "\u00e9\"x", "n": NaN)"));
  const std::size_t closed = whole.rfind(']');
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const std::string_view cut = std::string_view(whole).substr(0, length);
    if (length > closed) {
      EXPECT_THAT(names(read_bytes(cut, "f.json")), ElementsAre("a", "b")) << length;
    } else {
      const ReadError error = error_of(cut);
      const std::size_t rows = length > whole.rfind('}', closed) ? 2 : length > whole.find("},{") ? 1 : 0;
      EXPECT_EQ(error.partial ? error.partial->benchmarks.size() : 0, rows) << error.what();
    }
  }
}

TEST(ReadBytes, OnlyTheClosingBraceMissing) {
  std::string bytes = document(row("a", 1));
  bytes.resize(bytes.rfind('}'));
  const auto set = read_bytes(bytes, "f.json");
  EXPECT_THAT(names(set), ElementsAre("a"));
  EXPECT_THAT(oddities(set), ElementsAre(HasSubstr("ends before the document's closing brace; no row is missing")));
}

TEST(ReadBytes, BrokenJsonSaysWhere) {
  EXPECT_EQ(what(document("\n" + row("a", 1) + ",\n{\"name\": \"b\", \"real_time\": oops}")),
            "f.json:5:28: a value is no JSON inside benchmark \"b\"; 1 complete row before it was read");
  EXPECT_THAT(what(document("{\"name\": \"b\" \"real_time\": 1}")),
              StartsWith("f.json:3:29: expected ',' or '}' inside"));
  EXPECT_THAT(what(document(row("a", 1) + row("b", 1))), HasSubstr("expected ',' or ']' after a row"));
  EXPECT_THAT(what("{\"context\": {}, \"benchmarks\": [}"), HasSubstr("f.json:1:32: expected a row or ']'"));
  const ReadError error = error_of(document(row("a", 1) + ", {\"name\": }"));
  EXPECT_EQ(error.kind, ReadError::Kind::damaged);
  ASSERT_NE(error.partial, nullptr);
  EXPECT_THAT(names(*error.partial), ElementsAre("a"));
}

TEST(ReadBytes, BracketsThatNestTooDeep) {
  EXPECT_THAT(what("{\"context\": " + std::string(1000000, '[')), HasSubstr("brackets nest deeper than 200"));
  EXPECT_THAT(what(document("{\"name\": \"a\", \"x\": " + std::string(500, '['))), HasSubstr("inside benchmark \"a\""));
}

TEST(ReadBytes, WhatIsNotGoogleBenchmarks) {
  for (const char* bytes : {"{}", "{\"a\": 1}", "[1, 2]", "null", "hello", "\"text\"", "", " \n\n", "{\"a\": tru}",
                            "{\"benchmarks\": {}}", "name,iterations,real_time,cpu_time\n\"a\",1,2,3\n"})
    EXPECT_EQ(error_of(bytes).kind, ReadError::Kind::not_results) << bytes;
  EXPECT_EQ(
      what("{\"schema_version\": 1, \"summary\": {}}"),
      "f.json:1:1: not Google Benchmark's results: it has no \"benchmarks\" list; its keys are \"schema_version\", "
      "\"summary\"");
  EXPECT_THAT(what("\n\n{\"x\": 1}"), StartsWith("f.json:3:1: not Google Benchmark's results"));
  EXPECT_THAT(what(""), StartsWith("f.json:1:1: the file is empty"));
  EXPECT_THAT(what("name,iterations,real_time,cpu_time\n"), HasSubstr("CSV"));
  EXPECT_THAT(what("Benchmark   Time             CPU   Iterations\n-----\nBM_a 1 ns 1 ns 100\n"), HasSubstr("a table"));
  EXPECT_THAT(what("BM_a/1\nBM_b<std::pair<int, char>>/2\n"), HasSubstr("a list of names"));
  EXPECT_THAT(what("Not a result at all.\nReally.\n"), HasSubstr("this is not JSON; it begins with Not a result"));
  EXPECT_THAT(what("\x7F"
                   "ELF..."),
              HasSubstr("this is a program"));
  EXPECT_THAT(what("\x28\xB5\x2F\xFD..."), HasSubstr("compressed by zstd"));
}

TEST(ReadBytes, ListsOfNamesInJson) {  // --benchmark_list_tests --benchmark_format=json of library 1.9.5
  const ReadError error =
      error_of("{\n  \"benchmarks\": [\n    {\n      \"name\": \"a\"\n    },\n    {\"name\": \"b\"}\n  ]\n}\n");
  EXPECT_EQ(error.kind, ReadError::Kind::not_results);
  EXPECT_THAT(error.what(), HasSubstr("its 2 rows hold no result (written with --benchmark_list_tests?)"));
}

TEST(ReadBytes, Utf16OfBothOrders) {
  const std::string text = document(row("caf\u00e9", 1));
  for (const bool big : {false, true})
    for (const bool mark : {false, true}) {
      std::string bytes = mark ? (big ? "\xFE\xFF" : "\xFF\xFE") : "";
      for (std::size_t i = 0; i < text.size(); ++i) {
        unsigned code = static_cast<unsigned char>(text[i]);
        if (code >= 0xC0) code = (code & 0x1FU) << 6 | (static_cast<unsigned char>(text[++i]) & 0x3FU);
        const char high = static_cast<char>(code >> 8), low = static_cast<char>(code & 0xFF);
        bytes += big ? high : low;
        bytes += big ? low : high;
      }
      const auto set = read_bytes(bytes, "f.json");
      EXPECT_THAT(names(set), ElementsAre("caf\u00e9"));
      EXPECT_THAT(oddities(set), ElementsAre("1:1 : the file is UTF-16: read as such"));
    }
}

TEST(ReadBytes, OddRowsByTheThousandStayAShortList) {
  std::string rows;
  for (int i = 0; i < 5000; ++i) rows += (i > 0 ? "," : "") + row("r" + std::to_string(i), 1, R"(, "x": NaN)");
  const auto set = read_bytes(document(rows), "f.json");
  EXPECT_THAT(set.oddities, SizeIs(21));
  EXPECT_THAT(set.oddities.back().what, HasSubstr("4980 more benchmarks like the 20 above: the counter \"x\" is NaN"));
}

}  // namespace
}  // namespace pawl::read
