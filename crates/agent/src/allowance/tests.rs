use super::{Allowance, Price, Spent};

fn spent(tokens_in: u64, tokens_out: u64) -> Spent {
    Spent { requests: 1, tokens_in, tokens_out, ..Spent::default() }
}

#[test]
fn what_is_spent_is_not_left() {
    let mut allowance = Allowance::tokens(1_000);
    assert!(allowance.ask(800, 200).is_ok());
    assert!(allowance.ask(801, 200).is_err());
    allowance.charge(&spent(500, 100));
    assert!(allowance.ask(300, 100).is_ok());
    let error = allowance.ask(300, 101).unwrap_err().to_string();
    assert_eq!(error, "the next request may take 401 tokens, and 400 is left of what was allowed");
    assert_eq!((allowance.spent().requests, allowance.spent().tokens()), (1, 600));
}

#[test]
fn money_is_bounded_by_the_price() {
    let price = Price { input: 1.0, output: 10.0 };
    let mut allowance = Allowance::tokens(u64::MAX).and_dollars(0.02, price);
    assert!(allowance.ask(10_000, 1_000).is_ok());
    allowance.charge(&spent(10_000, 500));
    let error = allowance.ask(1_000, 500).unwrap_err().to_string();
    assert!(error.contains("$0.0060") && error.contains("$0.0050"), "{error}");
    // What the provider says it cost counts if it is more.
    allowance.charge(&Spent { dollars: Some(0.02), ..Spent::default() });
    assert!(allowance.ask(1, 0).is_err());
}

#[test]
fn dollars_and_models_of_several_requests_add_up() {
    let mut allowance = Allowance::tokens(10);
    allowance.charge(&Spent { dollars: Some(0.5), model: Some("a".into()), ..spent(1, 1) });
    allowance.charge(&Spent { dollars: Some(0.25), ..spent(1, 1) });
    let sum = Spent { dollars: Some(0.75), model: Some("a".into()), requests: 2, ..spent(2, 2) };
    assert_eq!(*allowance.spent(), sum);
}
