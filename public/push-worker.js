// Shows the notifications that the server sends to this browser, and opens the page when one is clicked.

const FALLBACK = { title: 'Caraplace', body: 'There is something new for you.', url: '/' };

/** Returns an address on this server; the canvas page for any other. */
function ownAddress(url) {
  const address = new URL(url, self.location.origin);
  return address.origin === self.location.origin ? address : new URL('/', self.location.origin);
}

/** Returns the content of a push; a fallback for one that cannot be read, because a push must show something. */
function readPush(data) {
  try {
    const { title, body, url } = data.json();
    return { title: String(title), body: String(body ?? ''), url: ownAddress(String(url ?? '/')).href };
  } catch {
    return FALLBACK;
  }
}

/** Focuses an open page and shows the address there, or opens it: what somebody types in an open page must not be lost. */
async function openPage(address) {
  const pages = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const open = pages.find(({ url }) => new URL(url).pathname === address.pathname);
  if (!open) return self.clients.openWindow(address.href);
  open.postMessage({ message: address.searchParams.get('message') });
  return open.focus();
}

self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
self.addEventListener('push', (event) => {
  const { title, body, url } = readPush(event.data);
  event.waitUntil(self.registration.showNotification(title, { body, tag: url, icon: '/icons/icon-192.png', data: { url } }));
});
self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(openPage(ownAddress(event.notification.data?.url ?? '/')));
});
