// json_reporter.cpp -- closes the document with our key.
#include "json_reporter.hpp"

#include <ostream>

namespace pawl::bench {

void JsonReporter::ReportRuns(const std::vector<Run>& runs) {
  benchmark::JSONReporter::ReportRuns(memory_.with_results(runs));
}

void JsonReporter::Finalize() {
  // The base class would end the list of rows and the document: "\n  ]\n}\n".
  GetOutputStream() << "\n  ],\n  \"pawl\": " << closing_() << "\n}\n";
  GetOutputStream().flush();
}

}  // namespace pawl::bench
