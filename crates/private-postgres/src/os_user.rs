//! Selects the operating system user that runs PostgreSQL, and starts programs as that user.

use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt, lchown};
use std::path::Path;
use std::process::Output;

use tokio::process::Command;

use super::binaries::Binaries;
use super::data_folder::DataFolder;
use super::error::StartError;
use super::files::path_error;

const ROOT: u32 = 0;

/// The capabilities that `setpriv` leaves to the programs it starts: reading and traversing any folder.
const READ_CAPABILITY: &str = "-all,+dac_read_search";

/// The user that owns PostgreSQL's processes and files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct OsUser {
    uid: u32,
    gid: u32,
    switch: UserSwitch,
}

/// The way in which this process switches to that user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum UserSwitch {
    /// This process already runs as that user.
    NotNeeded,
    /// Root changes user and group before the program starts.
    SetUid,
    /// Root uses `setpriv`, for a data folder below one that the user cannot enter.
    SetPriv,
}

impl OsUser {
    /// Returns the current user. As root it returns an unprivileged user, because PostgreSQL refuses to run
    /// as root.
    pub(super) async fn choose(folder: &DataFolder, binaries: &Binaries) -> Result<Self, StartError> {
        let uid = rustix::process::geteuid().as_raw();
        let owner = find_cluster_owner(folder)?;
        if uid != ROOT {
            let gid = rustix::process::getegid().as_raw();
            return check_owner(Self { uid, gid, switch: UserSwitch::NotNeeded }, owner, folder);
        }
        let passwd = fs::read_to_string("/etc/passwd").unwrap_or_default();
        let folder_owner = fs::metadata(folder.path()).map_err(path_error(folder.path()))?.uid();
        let (uid, gid) = choose_unprivileged_user(&passwd, owner, folder_owner);
        let user = check_owner(Self { uid, gid, switch: UserSwitch::SetUid }, owner, folder)?;
        user.ensure_access(folder, binaries).await
    }

    /// Returns a command that runs as this user, without the caller's PostgreSQL settings.
    pub(super) fn command(&self, program: &Path) -> Command {
        let mut command = match self.switch {
            UserSwitch::NotNeeded => Command::new(program),
            UserSwitch::SetUid => {
                let mut command = Command::new(program);
                command.uid(self.uid).gid(self.gid);
                command
            }
            UserSwitch::SetPriv => self.setpriv(program),
        };
        clear_environment(&mut command);
        command
    }

    /// Makes this user the owner of a file or folder that this process has just created.
    pub(super) fn give_ownership(&self, path: &Path) -> io::Result<()> {
        match self.switch {
            UserSwitch::NotNeeded => Ok(()),
            // Not chown, because it would follow a symbolic link that another user has created meanwhile.
            _ => lchown(path, Some(self.uid), Some(self.gid)),
        }
    }

    /// Returns true if this is the user's number.
    pub(super) fn has_uid(&self, uid: u32) -> bool {
        self.uid == uid
    }

    /// Finds the least privileged way in which this user can access the data folder and the programs.
    async fn ensure_access(self, folder: &DataFolder, binaries: &Binaries) -> Result<Self, StartError> {
        if self.can_enter(folder.path(), binaries).await.is_ok() {
            return Ok(self);
        }
        if allow_traversal(folder.path()).map_err(path_error(folder.path()))?
            && self.can_enter(folder.path(), binaries).await.is_ok()
        {
            return Ok(self);
        }
        let privileged = Self { switch: UserSwitch::SetPriv, ..self };
        match privileged.can_enter(folder.path(), binaries).await {
            Ok(()) => Ok(privileged),
            Err(output) => {
                let folder = folder.path().to_owned();
                Err(StartError::Unreachable { folder, user: self.uid, output })
            }
        }
    }

    async fn can_enter(&self, folder: &Path, binaries: &Binaries) -> Result<(), String> {
        let mut command = self.command(Path::new("/bin/sh"));
        command.args(["-c", "cd \"$1\" && exec \"$2\" --version", "sh"]);
        command.arg(folder).arg(binaries.program("postgres"));
        check_output(command.output().await)
    }

    fn setpriv(&self, program: &Path) -> Command {
        let mut command = Command::new("setpriv");
        command
            .arg(format!("--reuid={}", self.uid))
            .arg(format!("--regid={}", self.gid))
            .arg("--clear-groups")
            .arg(format!("--inh-caps={READ_CAPABILITY}"))
            .arg(format!("--ambient-caps={READ_CAPABILITY}"))
            .arg("--")
            .arg(program);
        command
    }
}

/// Removes PostgreSQL's environment variables from a command.
pub(super) fn clear_environment(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("PG") {
            command.env_remove(name);
        }
    }
    // NOTIFY_SOCKET: PostgreSQL would report to systemd that *our* service is ready or stopping.
    // LC_ALL: some messages are compared, so they must not be translated.
    command.env_remove("NOTIFY_SOCKET").env("LC_ALL", "C").current_dir("/");
}

/// Checks that a program was started and succeeded.
///
/// # Errors
/// The last lines of its output, or else its exit status or the reason why it could not be started.
pub(super) fn check_output(result: io::Result<Output>) -> Result<(), String> {
    match result {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(last_lines(&output.stderr).unwrap_or(output.status.to_string())),
        Err(error) => Err(error.to_string()),
    }
}

/// Returns the last lines of a failed program's output as one line; `None` if there is no output.
pub(super) fn last_lines(text: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(text);
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let start = lines.len().saturating_sub(4);
    Some(lines[start..].join(" ")).filter(|words| !words.is_empty())
}

fn find_cluster_owner(folder: &DataFolder) -> Result<Option<u32>, StartError> {
    let Some((cluster, _)) = folder.cluster_version()? else { return Ok(None) };
    let metadata = fs::metadata(&cluster).map_err(path_error(&cluster))?;
    Ok(Some(metadata.uid()))
}

fn check_owner(user: OsUser, owner: Option<u32>, folder: &DataFolder) -> Result<OsUser, StartError> {
    match owner {
        Some(owner) if owner != user.uid => {
            Err(StartError::WrongOwner { cluster: folder.cluster(), owner, user: user.uid })
        }
        _ => Ok(user),
    }
}

/// Returns the user and group that root switches to: the cluster's owner, or else the data folder's owner
/// (`folder_owner`) if the system knows that user, or else `postgres`, or else any other user.
fn choose_unprivileged_user(passwd: &str, owner: Option<u32>, folder_owner: u32) -> (u32, u32) {
    const NOBODY: u32 = 65534;
    let users: Vec<(&str, u32, u32)> =
        passwd.lines().filter_map(parse_passwd_line).filter(|(_, uid, _)| *uid != ROOT).collect();
    let find_by_uid = |wanted: u32| users.iter().find(|(_, uid, _)| *uid == wanted);
    let find_by_name = |wanted: &str| users.iter().find(|(name, ..)| *name == wanted);
    if let Some(uid) = owner.filter(|uid| *uid != ROOT) {
        return find_by_uid(uid).map_or((uid, uid), |(_, uid, gid)| (*uid, *gid));
    }
    find_by_uid(folder_owner)
        .or_else(|| find_by_name("postgres"))
        .or_else(|| find_by_name("_postgres"))
        .or_else(|| find_by_name("nobody"))
        .or_else(|| users.first())
        .map_or((NOBODY, NOBODY), |(_, uid, gid)| (*uid, *gid))
}

/// Parses name, user number and group number of a line of `/etc/passwd`.
fn parse_passwd_line(line: &str) -> Option<(&str, u32, u32)> {
    let mut fields = line.split(':');
    let name = fields.next()?;
    let uid = fields.nth(1)?.parse().ok()?;
    let gid = fields.next()?.parse().ok()?;
    Some((name, uid, gid))
}

/// Lets other users traverse (not list) a data folder that root owns. Returns true if that changed anything.
fn allow_traversal(folder: &Path) -> io::Result<bool> {
    let metadata = fs::metadata(folder)?;
    let mode = metadata.mode() & 0o7777;
    if metadata.uid() != ROOT || mode & 0o011 == 0o011 {
        return Ok(false);
    }
    fs::set_permissions(folder, fs::Permissions::from_mode(mode | 0o011))?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::choose_unprivileged_user;

    const PASSWD: &str = "root:x:0:0:root:/root:/bin/bash\n\
        bin:x:2:3:bin:/bin:/usr/sbin/nologin\n\
        nobody:x:65534:65533:nobody:/nonexistent:/usr/sbin/nologin\n\
        ann:x:1000:1001:,,,:/home/ann:/bin/bash\n\
        postgres:x:101:104::/var/lib/postgresql:/bin/bash\n";

    #[test]
    fn root_becomes_the_cluster_owner_the_folder_owner_or_postgres() {
        assert_eq!(choose_unprivileged_user(PASSWD, Some(1000), 0), (1000, 1001));
        assert_eq!(choose_unprivileged_user(PASSWD, Some(4711), 0), (4711, 4711));
        assert_eq!(choose_unprivileged_user(PASSWD, None, 1000), (1000, 1001));
        assert_eq!(choose_unprivileged_user(PASSWD, None, 4711), (101, 104));
        assert_eq!(choose_unprivileged_user(PASSWD, None, 0), (101, 104));
    }

    #[test]
    fn without_a_postgres_user_root_becomes_nobody_or_any_user() {
        let other_users = PASSWD.replace("postgres:", "someone:");
        assert_eq!(choose_unprivileged_user(&other_users, None, 0), (65534, 65533));
        assert_eq!(choose_unprivileged_user(&other_users.replace("nobody:", "anyone:"), None, 0), (2, 3));
        assert_eq!(choose_unprivileged_user("", None, 0), (65534, 65534));
    }
}
