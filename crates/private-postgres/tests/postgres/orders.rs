//! Three processes on one data folder: a server that supervises PostgreSQL, a server that has its address, and a command,
//! in every order of starts and ends.

use rustix::process::Signal;
use sqlx::Connection as _;

use crate::member::{Member, Role};
use crate::postmaster::signal;
use crate::support::{Folder, eventually, try_connect};

const ROLES: [Role; 3] = [Role::Folder, Role::Address, Role::Verb];
/// Into so many tests the orders are divided, which may run at the same time.
const PARTS: usize = 3;

/// Events, as places in `ROLES`: the first event of a process is its start, the second its end.
type Order = Vec<usize>;

/// Every possible way in which three starts and three ends follow each other.
fn orders() -> Vec<Order> {
    let mut all = vec![Order::new()];
    for _ in 0..2 * ROLES.len() {
        let longer = |order: &Order| {
            let next = (0..ROLES.len()).filter(|role| can_follow(order, *role));
            next.map(|role| [order.as_slice(), &[role]].concat()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

/// Whether that process can start, or end, after these events. The address alone starts no PostgreSQL.
fn can_follow(order: &[usize], role: usize) -> bool {
    let events = |role: usize| order.iter().filter(|other| **other == role).count();
    let others_live = (0..ROLES.len()).any(|other| other != role && events(other) == 1);
    match events(role) {
        0 => others_live || ROLES[role] != Role::Address,
        1 => true,
        _ => false,
    }
}

/// The processes that live, and how those of one order end: killed where the bit of their place is set.
struct Scene<'a> {
    folder: &'a Folder,
    members: [Option<Member>; 3],
    killed: usize,
    story: String,
}

impl Scene<'_> {
    fn living(&self) -> Vec<Role> {
        ROLES
            .into_iter()
            .zip(&self.members)
            .filter_map(|(role, member)| member.as_ref().map(|_| role))
            .collect()
    }

    async fn happen(&mut self, place: usize) {
        match self.members[place].take() {
            None => self.begin(place).await,
            Some(member) => self.end(place, member).await,
        }
        for member in self.members.iter_mut().flatten() {
            member.assert_writes().await;
        }
    }

    async fn begin(&mut self, place: usize) {
        self.story += &format!("{:?} starts. ", ROLES[place]);
        self.members[place] = Some(Member::start(ROLES[place], &self.folder.data()).await);
    }

    async fn end(&mut self, place: usize, member: Member) {
        let role = ROLES[place];
        if self.killed >> place & 1 == 1 {
            self.story += &format!("{role:?} is killed. ");
            member.kill().await;
            assert!(self.folder.running().is_some(), "a kill reaches PostgreSQL: {}", self.story);
            return;
        }
        self.story += &format!("{role:?} stops. ");
        member.ask_to_stop();
        let said = member.ended().await;
        let others = self.living();
        let supervised = others.contains(&Role::Folder);
        assert_eq!(said, !others.is_empty() && !supervised, "{}", self.story);
        assert_eq!(self.folder.running().is_some(), !others.is_empty(), "{}", self.story);
    }
}

/// Plays every order whose number leaves `part` when divided by `PARTS`, on one folder. PostgreSQL may still run from
/// the order before, where all were killed. Which processes are killed varies from order to order: every order with each
/// of the eight sets would take eight times as long.
async fn play(part: usize) {
    assert_eq!(orders().len(), 48, "with each of the eight ways to end in six of them");
    let folder = Folder::new();
    for (number, order) in orders().into_iter().enumerate().filter(|(number, _)| number % PARTS == part) {
        let killed = number / PARTS % (1 << ROLES.len());
        let members = [None, None, None];
        let mut scene = Scene { folder: &folder, members, killed, story: format!("order {number}: ") };
        for place in order {
            scene.happen(place).await;
        }
    }
    // What kills have left is taken over and stopped.
    stop_last(&folder).await;
}

/// Starts a command and stops it, which must be the end of PostgreSQL.
async fn stop_last(folder: &Folder) {
    let last = Member::start(Role::Folder, &folder.data()).await;
    last.ask_to_stop();
    assert!(!last.ended().await);
    assert!(folder.running().is_none());
}

#[tokio::test]
async fn processes_keep_their_database_in_orders_of_part_one() {
    play(0).await;
}

#[tokio::test]
async fn processes_keep_their_database_in_orders_of_part_two() {
    play(1).await;
}

#[tokio::test]
async fn processes_keep_their_database_in_orders_of_part_three() {
    play(2).await;
}

#[tokio::test]
async fn processes_that_stop_at_the_same_moment_leave_nothing_running() {
    let folder = Folder::new();
    for roles in [[Role::Folder, Role::Verb], [Role::Folder, Role::Address], [Role::Verb, Role::Verb]] {
        let one = Member::start(roles[0], &folder.data()).await;
        let other = Member::start(roles[1], &folder.data()).await;
        one.ask_to_stop();
        other.ask_to_stop();
        tokio::join!(one.ended(), other.ended());
        assert!(folder.running().is_none(), "{roles:?}");
    }
}

#[tokio::test]
async fn a_server_that_starts_while_a_command_ends_finds_postgres_running_or_starts_it() {
    let folder = Folder::new();
    for _ in 0..3 {
        let verb = Member::start(Role::Verb, &folder.data()).await;
        verb.ask_to_stop();
        let mut server = Member::start(Role::Folder, &folder.data()).await;
        verb.ended().await;
        server.assert_writes().await;
        server.ask_to_stop();
        assert!(!server.ended().await);
        assert!(folder.running().is_none());
    }
}

#[tokio::test]
async fn a_server_with_the_address_of_a_long_path_keeps_postgres_running() {
    let folder = Folder::named(&"long".repeat(40));
    let server = Member::start(Role::Folder, &folder.data()).await;
    let mut second = Member::start(Role::Address, &folder.data()).await;
    server.ask_to_stop();
    assert!(server.ended().await, "the second one is a user");
    second.assert_writes().await;
    second.ask_to_stop();
    assert!(!second.ended().await);
    assert!(folder.running().is_none());
}

#[tokio::test]
async fn a_session_of_another_program_keeps_postgres_running() {
    let folder = Folder::new();
    for role in [Role::Folder, Role::Verb] {
        let member = Member::start(role, &folder.data()).await;
        let mut session = try_connect(&folder.written_url()).await.unwrap();
        member.ask_to_stop();
        assert!(member.ended().await, "{role:?} says that PostgreSQL stays");
        sqlx::query("insert into entry values (1)").execute(&mut session).await.unwrap();
        session.close().await.unwrap();
    }
    stop_last(&folder).await;
}

#[tokio::test]
async fn a_server_starts_beside_a_command_and_supervises_from_then_on() {
    let folder = Folder::new();
    let verb = Member::start(Role::Verb, &folder.data()).await;
    let pid = folder.postmaster();
    let server = Member::start(Role::Folder, &folder.data()).await;
    assert_eq!(folder.postmaster(), pid);
    signal(pid, Signal::KILL);
    eventually(|| async { folder.running().filter(|new| *new != pid) }).await;
    verb.ask_to_stop();
    // What it was connected to has gone, but not what the server has started since.
    assert!(!verb.ended().await);
    server.ask_to_stop();
    assert!(!server.ended().await);
    assert!(folder.running().is_none());
}
