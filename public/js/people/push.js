// Notifications of this browser by the server, also while the page is closed (Web Push).

import { post, remove } from '../shared/send.js';

/** @typedef {'unsupported' | 'denied' | 'off' | 'on'} PushState */
/** @typedef {import('../shared/types.js').ViewerBody} ViewerBody */

const WORKER = '/push-worker.js';

const isSupported = () => 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;

async function findSubscription() {
  const registration = await navigator.serviceWorker.getRegistration('/');
  return (await registration?.pushManager.getSubscription()) ?? null;
}

/**
 * @param {number} devices the viewer's browsers that the server knows
 * @returns {Promise<PushState>}
 */
export async function findPushState(devices) {
  if (!isSupported()) return 'unsupported';
  if (Notification.permission === 'denied') return 'denied';
  return devices > 0 && await findSubscription() ? 'on' : 'off';
}

/**
 * Asks the visitor for permission and subscribes this browser.
 * @param {string} key the server's public key
 * @returns {Promise<ViewerBody | null>} `null` if the visitor does not permit it
 */
export async function turnPushOn(key) {
  if (await Notification.requestPermission() !== 'granted') return null;
  const registration = await navigator.serviceWorker.register(WORKER);
  await navigator.serviceWorker.ready;
  const subscription = await subscribe(registration, key);
  const { endpoint, keys } = subscription.toJSON();
  return post('/api/viewers/me/push', { endpoint, keys });
}

/**
 * @param {ServiceWorkerRegistration} registration
 * @param {string} key
 */
async function subscribe(registration, key) {
  const options = { userVisibleOnly: true, applicationServerKey: key };
  try {
    return await registration.pushManager.subscribe(options);
  } catch (error) {
    // A subscription with an earlier key of the server is in the way.
    const old = await registration.pushManager.getSubscription();
    if (!old) throw error;
    await old.unsubscribe();
    return registration.pushManager.subscribe(options);
  }
}

/**
 * Ends the notifications of this browser.
 * @returns {Promise<ViewerBody | null>} `null` if there was nothing to end
 */
export async function turnPushOff() {
  const subscription = await findSubscription();
  if (!subscription) return null;
  const { endpoint } = subscription;
  await subscription.unsubscribe();
  return remove('/api/viewers/me/push', { endpoint });
}
