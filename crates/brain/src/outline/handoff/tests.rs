use super::handoff_target;

#[track_caller]
fn check(text: &str, target: &str) {
    assert_eq!(handoff_target(text).unwrap_or_default(), target, "{text:?}");
}

#[test]
fn requests_name_an_agent() {
    check("handoff to reviewer", "reviewer");
    check("Handoff to reviewer.", "reviewer");
    check("  hand-off to the reviewer agent: the tests fail\nand more", "reviewer");
    check("hand off to claude-4.5, please", "claude-4.5");
    check("Hand this off to @ops!", "@ops");
    check("please hand it off to qa/bot", "qa/bot");
    check("passing to deploy-agent", "deploy-agent");
    check("Passing this to the tester; see below", "tester");
    check("continue with the docs agent", "docs");
    check("Continue with review agent — it knows the rest", "review");
    check("handoff to reviewer\nThe rest is theirs.", "reviewer");
}

#[test]
fn requests_are_understood_in_other_languages() {
    check("Übergib das an den Reviewer: die Tests laufen", "Reviewer");
    check("passe le relais à l'agent relecteur", "relecteur");
    check("pasa esto al agente coder: implementar el paso 1", "coder");
    check("passa para o agente de dados: rodar o backfill", "dados");
    check("passe à la suite", "");
    check("pasa algo raro con el agente", "");
}

#[test]
fn mentions_are_no_requests() {
    check("", "");
    check("handoff", "");
    check("handoff to", "");
    check("handoff to .", "");
    check("the handoff to reviewer failed", "");
    check("handoff to reviewer is broken", "");
    check("handoffs to reviewer", "");
    check("why does hand off to reviewer hang?", "");
    check("hand the cup off to reviewer", "");
    check("passing to parse a null pointer crashes", "");
    check("passing tests", "");
    check("continue with the tests", "");
    check("continue with step agents", "");
    check("I said:\nhandoff to reviewer", "");
}
