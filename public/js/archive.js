// Entry point of the page of an ended season: its canvas, chat and time bar, without a live stream.

import { ArchiveStatus } from './canvas/archive-status.js';
import { CanvasPage, waitForFirstView } from './canvas/canvas-page.js';
import { Viewer } from './people/viewer.js';
import { getCanvas, getChat } from './shared/api.js';
import { loadLater, once, reportLoadFailure } from './shared/lazy-load.js';
import { archive, seasonOf } from './shared/season.js';

const page = new CanvasPage(new Viewer());
const { state, view, chat } = page;
const status = new ArchiveStatus(() => void load());

/** Loads the time bar after the canvas is shown, unless the URL names a past moment; its place is reserved. */
const loadTimeBar = once(async () => {
  await waitForFirstView('at');
  const { TimeBar } = await loadLater();
  return new TimeBar({
    pastView: { view, state, chat, names: page.names, ...page.painterActions, head: () => archive?.last ?? 0 },
    showPast: (time) => status.showPast(time),
    showPresent: () => status.showEnd(),
    setTimeScale: (scale) => status.setTimeScale(scale),
    isLive: () => false,
    isFrozen: () => false,
  });
});

/** Loads the end of the season; again after a failure. */
async function load() {
  const messages = loadChat();
  try {
    const body = await getCanvas();
    page.showCanvas(body);
    status.showLoaded();
    void loadTimeBar().then((bar) => bar.start(seasonOf(body.season).id), reportLoadFailure);
  } catch {
    status.showFailure();
  }
  await messages;
  const wanted = new URLSearchParams(location.search).get('message');
  if (wanted) void chat.showMessage(wanted);
}

/** Shows the last messages of the season. */
async function loadChat() {
  const messages = await getChat().catch((error) => error);
  if (messages instanceof Error) chat.showError('code' in messages ? String(messages.code) : 'unknown');
  else chat.showLatest(messages);
}

void load();
