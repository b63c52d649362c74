//! Tests of the key cache.

use caraplace_log::identity::ExtraKey;
use rules::scope::Scopes;

use super::*;

fn agent(no: i64, key: u8) -> Arc<Identity> {
    let id = "agent_a".into();
    let name = "Ada".into();
    let rights = Rights::default();
    let key_hash = [key; 32];
    let extra_key = None;
    let no = AccountNo(no);
    Arc::new(Identity { no, id, name, key_generation: 1, key_hash, extra_key, rights, has_own_view: false })
}

fn second(second: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(second, 0).unwrap()
}

/// Returns an agent as it is found by an extra key, which expires in this second.
fn agent_with_extra_key(no: i64, key: u8, expires_at: i64) -> Arc<Identity> {
    let extra_key =
        ExtraKey { no: key.into(), scopes: Scopes::default(), expires_at: Some(second(expires_at)) };
    Arc::new(Identity { extra_key: Some(extra_key), ..Identity::clone(&agent(no, key)) })
}

#[test]
fn removes_only_keys_of_given_agents() {
    let cache = KeyCache::default();
    cache.insert(agent(1, 1), 0);
    cache.insert(agent(2, 2), 0);
    cache.remove(&[AccountNo(1)], 1);
    assert!(cache.find(&[1; 32], second(0)).is_none() && cache.find(&[2; 32], second(0)).is_some());
}

#[test]
fn tokens_expire_and_go_with_the_keys_of_their_agent() {
    let cache = KeyCache::default();
    for (no, token) in [(1, 11), (1, 12), (2, 21)] {
        cache.insert_token([token; 32], agent(no, 1), [second(0), second(i64::from(token))], 0);
    }
    assert!(cache.find_token(&[12; 32], second(11)).is_some());
    assert!(cache.find_token(&[11; 32], second(11)).is_none(), "expired");
    assert!(cache.find(&[12; 32], second(0)).is_none(), "a token is no key");
    cache.remove(&[AccountNo(1)], 1);
    assert!(cache.find_token(&[12; 32], second(0)).is_none());
    assert!(cache.find_token(&[21; 32], second(0)).is_some());
    cache.insert_token([13; 32], agent(1, 1), [second(0), second(99)], 0);
    assert!(cache.find_token(&[13; 32], second(0)).is_none(), "read before the newer entry");
}

#[test]
fn extra_keys_expire_and_stay_when_the_registration_key_changes() {
    let cache = KeyCache::default();
    cache.insert(agent(1, 1), 0);
    for agent in [agent_with_extra_key(1, 11, 11), agent_with_extra_key(2, 21, 21)] {
        assert!(!cache.has(&agent), "not cached yet");
        cache.insert_extra_key(agent.clone(), second(0), 0);
        assert!(cache.has(&agent));
    }
    cache.insert(agent(1, 2), 0);
    assert!(cache.find(&[11; 32], second(10)).is_some(), "the other key was replaced");
    assert!(cache.find(&[11; 32], second(11)).is_none(), "expired");
    assert!(cache.find_token(&[11; 32], second(0)).is_none(), "a key is no token");
    cache.remove_extra_keys([AccountNo(1)]);
    assert!(cache.find(&[11; 32], second(0)).is_none() && cache.find(&[2; 32], second(0)).is_some());
    assert!(cache.find(&[21; 32], second(0)).is_some(), "of another agent");
    cache.remove(&[AccountNo(2)], 1);
    assert!(cache.find(&[21; 32], second(0)).is_none());
    cache.insert_extra_key(agent_with_extra_key(2, 21, 21), second(0), 0);
    assert!(cache.find(&[21; 32], second(0)).is_none(), "read before the newest entry");
}

#[test]
fn new_key_replaces_old_key_of_same_agent() {
    let cache = KeyCache::default();
    cache.insert(agent(1, 1), 0);
    cache.insert(agent(1, 2), 0);
    assert!(cache.find(&[1; 32], second(0)).is_none() && cache.find(&[2; 32], second(0)).is_some());
    cache.remove(&[AccountNo(1)], 1);
    assert!(cache.find(&[2; 32], second(0)).is_none());
}

#[test]
fn all_kinds_of_keys_are_among_the_accounts() {
    let cache = KeyCache::default();
    cache.insert(agent(4, 4), 0);
    cache.insert_extra_key(agent_with_extra_key(3, 3, 9), second(0), 0);
    cache.insert_token([2; 32], agent(2, 2), [second(0), second(9)], 0);
    cache.insert_session([1; 32], Some(agent(1, 1)), 0);
    cache.insert_token([5; 32], agent(4, 4), [second(0), second(9)], 0);
    assert_eq!(cache.accounts(), [1, 2, 3, 4].map(AccountNo));
}

#[test]
fn a_shadow_ban_keeps_the_account_cached() {
    let cache = KeyCache::default();
    cache.insert(agent(1, 1), 0);
    cache.insert_session([9; 32], Some(agent(1, 1)), 0);
    cache.set_shadowed(&[(AccountNo(1), true)]);
    let by_session = cache.find_session(&[9; 32]).unwrap().unwrap();
    for agent in [cache.find(&[1; 32], second(0)).unwrap(), by_session] {
        assert!(agent.rights.shadowed && agent.has_own_view);
    }
    cache.set_shadowed(&[(AccountNo(1), false)]);
    let agent = cache.find(&[1; 32], second(0)).unwrap();
    assert!(!agent.rights.shadowed && agent.has_own_view, "it sees what it has done before");
}

#[test]
fn changed_rights_end_cached_sessions() {
    let cache = KeyCache::default();
    cache.insert_session([8; 32], Some(agent(2, 2)), 0);
    cache.insert_session([9; 32], Some(agent(1, 1)), 0);
    cache.remove(&[AccountNo(1)], 1);
    assert!(cache.find_session(&[9; 32]).is_none() && cache.find_session(&[8; 32]).is_some());
    cache.insert_session([9; 32], Some(agent(1, 1)), 0);
    assert!(cache.find_session(&[9; 32]).is_none(), "read before the newest entry");
}

#[test]
fn does_not_cache_key_read_before_newer_control_entry() {
    let cache = KeyCache::default();
    cache.remove(&[AccountNo(1)], 1);
    cache.insert(agent(1, 1), 0);
    assert!(cache.find(&[1; 32], second(0)).is_none());
}
