// The web app manifest, which is for visitors who stay: a first view does not load it.

import { el } from './dom.js';

/** Links the manifest once. */
export function linkManifest() {
  if (!document.head.querySelector('link[rel=manifest]')) document.head.append(el('link', { rel: 'manifest', href: '/manifest.webmanifest' }));
}
