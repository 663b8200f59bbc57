import NestedRecordsTesting
import Testing

@Suite struct ContractViolationTests {
    @Test func violationNamesTheRequirement() {
        let violation = ContractViolation(requirement: "keeps records", explanation: "one is missing")
        #expect(violation.requirement == "keeps records" && violation.explanation == "one is missing")
        #expect("\(violation)" == "a database keeps records, but: one is missing")
    }
}
