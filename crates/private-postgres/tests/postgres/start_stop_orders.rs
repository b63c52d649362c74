//! Three processes on one data folder in every order of starts and ends: a server that supervises PostgreSQL,
//! a server with its address, and a command.

use rustix::process::Signal;
use sqlx::Connection as _;

use crate::member::{MemberProcess, Role};
use crate::postmaster::signal;
use crate::support::{TestFolder, eventually, try_connect};

const ROLES: [Role; 3] = [Role::Folder, Role::Address, Role::Verb];
/// Number of tests among which the orders are divided, so that they can run in parallel.
const TEST_PARTS: usize = 3;

/// Events as indices into `ROLES`. The first event of a process is its start, the second its end.
type EventOrder = Vec<usize>;

/// Returns every possible order of three starts and three ends.
fn all_orders() -> Vec<EventOrder> {
    let mut all = vec![EventOrder::new()];
    for _ in 0..2 * ROLES.len() {
        let extend_order = |order: &EventOrder| {
            let next = (0..ROLES.len()).filter(|role| can_follow(order, *role));
            next.map(|role| [order.as_slice(), &[role]].concat()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(extend_order).collect();
    }
    all
}

/// Returns true if a process can start or end after these events. A process with the address only starts no
/// PostgreSQL.
fn can_follow(order: &[usize], role: usize) -> bool {
    let events = |role: usize| order.iter().filter(|other| **other == role).count();
    let has_other_running = (0..ROLES.len()).any(|other| other != role && events(other) == 1);
    match events(role) {
        0 => has_other_running || ROLES[role] != Role::Address,
        1 => true,
        _ => false,
    }
}

/// The running processes, and a bit per role that is set if the process is killed at its end.
struct Scenario<'a> {
    folder: &'a TestFolder,
    members: [Option<MemberProcess>; 3],
    killed_bits: usize,
    history: String,
}

impl Scenario<'_> {
    fn running_roles(&self) -> Vec<Role> {
        ROLES
            .into_iter()
            .zip(&self.members)
            .filter_map(|(role, member)| member.as_ref().map(|_| role))
            .collect()
    }

    async fn apply_event(&mut self, role_index: usize) {
        match self.members[role_index].take() {
            None => self.start(role_index).await,
            Some(member) => self.stop(role_index, member).await,
        }
        for member in self.members.iter_mut().flatten() {
            member.assert_can_write().await;
        }
    }

    async fn start(&mut self, role_index: usize) {
        self.history += &format!("{:?} starts. ", ROLES[role_index]);
        self.members[role_index] = Some(MemberProcess::start(ROLES[role_index], &self.folder.data()).await);
    }

    async fn stop(&mut self, role_index: usize, member: MemberProcess) {
        let role = ROLES[role_index];
        if self.killed_bits >> role_index & 1 == 1 {
            self.history += &format!("{role:?} is killed. ");
            member.kill().await;
            assert!(self.folder.running_pid().is_some(), "a kill reaches PostgreSQL: {}", self.history);
            return;
        }
        self.history += &format!("{role:?} stops. ");
        member.send_stop_signal();
        let says_left_running = member.wait_for_exit().await;
        let others = self.running_roles();
        let is_supervised = others.contains(&Role::Folder);
        assert_eq!(says_left_running, !others.is_empty() && !is_supervised, "{}", self.history);
        assert_eq!(self.folder.running_pid().is_some(), !others.is_empty(), "{}", self.history);
    }
}

/// Runs every order whose number leaves `part` when divided by `TEST_PARTS`, on one folder. PostgreSQL may
/// still run from the previous order if all processes were killed. The set of killed processes varies from
/// order to order, because every combination would take eight times as long.
async fn run_orders(part: usize) {
    assert_eq!(all_orders().len(), 48, "with each of the eight ways to end in six of them");
    let folder = TestFolder::new();
    for (number, order) in
        all_orders().into_iter().enumerate().filter(|(number, _)| number % TEST_PARTS == part)
    {
        let killed = number / TEST_PARTS % (1 << ROLES.len());
        let members = [None, None, None];
        let mut scenario =
            Scenario { folder: &folder, members, killed_bits: killed, history: format!("order {number}: ") };
        for place in order {
            scenario.apply_event(place).await;
        }
    }
    // Takes over and stops a PostgreSQL that kills have left running.
    assert_last_stops_postgres(&folder).await;
}

/// Starts a command and stops it, which must stop PostgreSQL.
async fn assert_last_stops_postgres(folder: &TestFolder) {
    let last = MemberProcess::start(Role::Folder, &folder.data()).await;
    last.send_stop_signal();
    assert!(!last.wait_for_exit().await);
    assert!(folder.running_pid().is_none());
}

#[tokio::test]
async fn processes_keep_their_database_in_orders_of_part_one() {
    run_orders(0).await;
}

#[tokio::test]
async fn processes_keep_their_database_in_orders_of_part_two() {
    run_orders(1).await;
}

#[tokio::test]
async fn processes_keep_their_database_in_orders_of_part_three() {
    run_orders(2).await;
}

#[tokio::test]
async fn processes_that_stop_at_the_same_moment_leave_nothing_running() {
    let folder = TestFolder::new();
    for roles in [[Role::Folder, Role::Verb], [Role::Folder, Role::Address], [Role::Verb, Role::Verb]] {
        let one = MemberProcess::start(roles[0], &folder.data()).await;
        let other = MemberProcess::start(roles[1], &folder.data()).await;
        one.send_stop_signal();
        other.send_stop_signal();
        tokio::join!(one.wait_for_exit(), other.wait_for_exit());
        assert!(folder.running_pid().is_none(), "{roles:?}");
    }
}

#[tokio::test]
async fn a_server_that_starts_while_a_command_ends_finds_postgres_running_or_starts_it() {
    let folder = TestFolder::new();
    for _ in 0..3 {
        let command = MemberProcess::start(Role::Verb, &folder.data()).await;
        command.send_stop_signal();
        let mut server = MemberProcess::start(Role::Folder, &folder.data()).await;
        command.wait_for_exit().await;
        server.assert_can_write().await;
        server.send_stop_signal();
        assert!(!server.wait_for_exit().await);
        assert!(folder.running_pid().is_none());
    }
}

#[tokio::test]
async fn a_server_with_the_address_of_a_long_path_keeps_postgres_running() {
    let folder = TestFolder::named(&"long".repeat(40));
    let server = MemberProcess::start(Role::Folder, &folder.data()).await;
    let mut second = MemberProcess::start(Role::Address, &folder.data()).await;
    server.send_stop_signal();
    assert!(server.wait_for_exit().await, "the second one is a user");
    second.assert_can_write().await;
    second.send_stop_signal();
    assert!(!second.wait_for_exit().await);
    assert!(folder.running_pid().is_none());
}

#[tokio::test]
async fn a_session_of_another_program_keeps_postgres_running() {
    let folder = TestFolder::new();
    for role in [Role::Folder, Role::Verb] {
        let member = MemberProcess::start(role, &folder.data()).await;
        let mut session = try_connect(&folder.written_url()).await.unwrap();
        member.send_stop_signal();
        assert!(member.wait_for_exit().await, "{role:?} says that PostgreSQL stays");
        sqlx::query("insert into entry values (1)").execute(&mut session).await.unwrap();
        session.close().await.unwrap();
    }
    assert_last_stops_postgres(&folder).await;
}

#[tokio::test]
async fn a_server_starts_beside_a_command_and_supervises_from_then_on() {
    let folder = TestFolder::new();
    let command = MemberProcess::start(Role::Verb, &folder.data()).await;
    let pid = folder.postmaster_pid();
    let server = MemberProcess::start(Role::Folder, &folder.data()).await;
    assert_eq!(folder.postmaster_pid(), pid);
    signal(pid, Signal::KILL);
    eventually(|| async { folder.running_pid().filter(|new| *new != pid) }).await;
    command.send_stop_signal();
    // The server has restarted PostgreSQL since, so the command's connection is gone.
    assert!(!command.wait_for_exit().await);
    server.send_stop_signal();
    assert!(!server.wait_for_exit().await);
    assert!(folder.running_pid().is_none());
}
