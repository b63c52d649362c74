// Entry point of the canvas page: creates its parts and connects them.

import { CanvasPage, waitForFirstView } from './canvas/canvas-page.js';
import { removeInvitation, removeInvitationIfPainted } from './canvas/invitation.js';
import { PlanLoader } from './canvas/plan-loader.js';
import { TitleCard } from './canvas/title-card.js';
import { startGuide } from './guide/loader.js';
import { startJoin } from './people/join.js';
import { Painters } from './people/painters.js';
import { Viewer } from './people/viewer.js';
import { ConnectionStatus } from './shared/connection-status.js';
import { byId } from './shared/dom.js';
import { startLanguageLinks } from './shared/language-link.js';
import { loadLater, loadTools, once, reportLoadFailure } from './shared/lazy-load.js';
import { seasonOf } from './shared/season.js';
import { startStats } from './shared/stats.js';
import { Sync } from './shared/sync.js';
import { startWatchdog } from './shared/watchdog.js';

/** Long after the first view, which does not need the tools. */
const TOOLS_DELAY_MS = 20_000;

const viewer = new Viewer();
const page = new CanvasPage(viewer);
const { state, view, chat } = page;
const plans = new PlanLoader(page);
const titleCard = new TitleCard();
const painters = new Painters(byId('painters'), page.names, page.painterActions);

// A visitor who looks at single pixels has seen it.
view.moveListeners.push(() => { if (!view.camera.isFitted) removeInvitation(); });

const sync = new Sync({
  showCanvas: (body) => {
    page.showCanvas(body);
    removeInvitationIfPainted(state.liveCells);
    titleCard.showCanvas(body);
    season = seasonOf(body.season).id;
    startTimeBar();
    plans.showCanvas(season);
    page.inspector?.refresh();
    updateStats();
  },
  showChat: (messages) => {
    chat.showLatest(messages);
    if (new URLSearchParams(location.search).has('message')) void loadTools().then(({ openLinkedMessage }) => openLinkedMessage(chat), reportLoadFailure);
  },
  mergeChat: (messages) => chat.mergeLatest(messages),
  showChatError: (code) => chat.showError(code),
  setChatEnabled: (isEnabled) => chat.setEnabled(isEnabled),
  handleEvent: (kind, data) => {
    page.inspector?.handleChatEvent(kind, data);
    if (kind === 'plan') return plans.handleEvent(kind, data);
    if (kind !== 'pixels') return chat.handleEvent(kind, data);
    removeInvitation();
    view.applyLive(data);
    plans.handleEvent(kind, data);
    if (state.shownSeq !== null) void timeBar?.then((bar) => bar?.countMissed(data.length));
    titleCard.addPlacements(data);
    painters.addPlacements(data);
    page.inspector?.handlePlacements(data);
  },
  showSeason: (started) => titleCard.showSeason(started),
  showWatching: (spectators) => {
    titleCard.showWatching(spectators);
    plans.showWatching(spectators);
  },
  showConnection: (connection) => {
    status.show(connection);
    if (connection === 'down') titleCard.clearWatching();
    if (connection === 'live') handleLive();
  },
});
const status = new ConnectionStatus(() => sync.resume());
let season = '';
/** @type {Promise<import('./time/time-bar.js').TimeBar | null> | null} */
let timeBar = null;
function startTimeBar() {
  timeBar ??= loadTimeBar().catch(() => (timeBar = null));
  void timeBar.then((bar) => bar?.start(season));
}
let hasVisitorActed = false;
for (const name of ['pointerdown', 'keydown', 'wheel']) addEventListener(name, () => { hasVisitorActed = true; }, { once: true, capture: true, passive: true });
// The tools are loaded before a visitor asks for one, and in time for a server that stops to answer.
setTimeout(() => void loadTools().catch(() => {}), TOOLS_DELAY_MS);
for (const name of ['pointermove', 'pointerdown', 'keydown', 'wheel']) addEventListener(name, () => void loadTools().then(({ linkManifest }) => linkManifest(), () => {}), { once: true, passive: true });
/** Plays the replay of a first visit, once the time bar knows the season. */
const replayFirstVisit = once(async () => {
  const [bar, later] = await Promise.all([timeBar, loadLater()]);
  await (bar && later.replayFirstVisit(bar, view, () => sync.isLive && !hasVisitorActed));
});

/** Repeats what may have failed while the server did not answer. */
function handleLive() {
  page.inspector?.refresh();
  plans.handleLive();
  startTimeBar();
  if (viewer.hasSignedIn) void waitForFirstView().then(loadSignedIn).catch(() => {});
  // The rendered page has the chat as everybody sees it.
  if (viewer.hasSignedIn) sync.recheckChat();
}

/** Loads the time bar after the live canvas is shown, unless the URL names a past moment; its place is reserved. */
async function loadTimeBar() {
  await waitForFirstView('at');
  const { TimeBar } = await loadLater();
  return new TimeBar({
    pastView: { view, state, chat, names: page.names, ...page.painterActions, head: () => sync.stream.lastSeq ?? 0 },
    showPast: (time) => {
      status.setPast(true);
      titleCard.showPast(time);
    },
    showPresent: () => {
      status.setPast(false);
      titleCard.showPresent();
    },
    setTimeScale: (scale) => {
      titleCard.setTimeScale(scale);
      void replayFirstVisit().catch(() => {});
    },
    isLive: () => sync.isLive,
    isFrozen: () => status.isFrozen,
  });
}
const guideTab = document.getElementById('guide-tab');
if (guideTab) void waitForFirstView().then(() => startGuide(guideTab, page, () => timeBar)).catch(reportLoadFailure);
const updateStats = startStats((stats) => {
  titleCard.showStats(stats);
  status.setFrozen(Boolean(stats.season_frozen_at));
  painters.load(stats.painting_now);
  if (state.shownSeq === null) page.places.load(stats.painting_now);
}, sync);

startJoin();
startLanguageLinks();
const loadSignedIn = once(() => loadTools().then(({ startSignedIn }) => startSignedIn(byId('pass'), chat)));
byId('pass').addEventListener('toggle', () => void loadSignedIn().catch(() => {}));
const loadNotifyForm = once(() => loadTools().then(({ renderNotifyForm }) => renderNotifyForm(byId('notify'), viewer)));
byId('notify').addEventListener('toggle', () => void loadNotifyForm().catch(reportLoadFailure));
window.addEventListener('online', () => sync.resume());
startWatchdog(() => sync.resume());
window.addEventListener('offline', () => sync.stream.fail());
// A page in the back-forward cache must not hold a stream; it resumes when it is shown again.
window.addEventListener('pagehide', () => sync.stream.close());
window.addEventListener('pageshow', (event) => { if (event.persisted) sync.resume(); });
sync.start();
