// Stands in for the browser's push service, which tests do not reach. The subscription outlives the page.

const KEPT = 'test-subscription';
const toBase64Url = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes))).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
const revive = () => {
  const kept = localStorage.getItem(KEPT);
  return kept && { endpoint: JSON.parse(kept).endpoint, toJSON: () => JSON.parse(kept), unsubscribe: async () => localStorage.removeItem(KEPT) };
};

window.asked = 0;
const request = Notification.requestPermission.bind(Notification);
Notification.requestPermission = () => { window.asked += 1; return request(); };
PushManager.prototype.getSubscription = async () => revive() || null;
PushManager.prototype.subscribe = async ({ userVisibleOnly, applicationServerKey }) => {
  if (!userVisibleOnly || applicationServerKey.length !== 87) throw new Error('the options are wrong');
  const { publicKey } = await crypto.subtle.generateKey({ name: 'ECDH', namedCurve: 'P-256' }, true, ['deriveBits']);
  const keys = { p256dh: toBase64Url(await crypto.subtle.exportKey('raw', publicKey)), auth: toBase64Url(crypto.getRandomValues(new Uint8Array(16))) };
  localStorage.setItem(KEPT, JSON.stringify({ endpoint: 'https://127.0.0.2/page', expirationTime: null, keys }));
  return revive();
};
