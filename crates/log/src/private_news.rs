//! Private news: messages, questions and changes of crews that concern some accounts only. A notification
//! wakes the waiting calls of these accounts on every instance, and marks what is cached for them as
//! outdated. Notifications are lost while a connection is broken, so a listener that has connected again
//! assumes news for every account.

use rules::numbers::AccountNo;

/// The channel of the notifications.
pub(super) const NOTIFY_CHANNEL: &str = "caraplace_private";
/// The maximum number of accounts in a notification, which may have less than 8 000 bytes.
const MAX_ACCOUNTS: usize = 390;

/// Returns the payloads that name the accounts with these numbers.
pub(super) fn to_payloads(accounts: &[AccountNo]) -> Vec<String> {
    let to_payload =
        |accounts: &[AccountNo]| accounts.iter().map(AccountNo::to_string).collect::<Vec<_>>().join(" ");
    accounts.chunks(MAX_ACCOUNTS).map(to_payload).collect()
}

/// Returns the numbers of the accounts that a payload names.
pub(super) fn parse_payload(payload: &str) -> Vec<AccountNo> {
    payload.split(' ').filter_map(|number| number.parse().ok().map(AccountNo)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn payloads_are_short_enough_and_name_all_accounts() {
        let accounts: Vec<AccountNo> = (0..1_000).map(|number| AccountNo(i64::MAX - number)).collect();
        let payloads = to_payloads(&accounts);
        assert!(payloads.iter().all(|payload| payload.len() < 8_000));
        let named: Vec<AccountNo> = payloads.iter().flat_map(|payload| parse_payload(payload)).collect();
        assert_eq!(named, accounts);
        assert!(to_payloads(&[]).is_empty());
    }
}
