// Bundles and minifies the page's files; run by scripts/bundle-page.

import { createHash } from 'node:crypto';
import { mkdtempSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, parse, relative } from 'node:path';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';

const TOOLS = join(process.cwd(), 'target/tools/bundle/node_modules');
const { rolldown } = await import(join(TOOLS, 'rolldown/dist/index.mjs'));
const { bundle: bundleStyles } = await import(join(TOOLS, 'lightningcss/node/index.mjs'));

const COMMITTED = 'public/assets';
// Modules of one group share one file with what two of them need, so that no page loads more than two files at once.
const MODULE_GROUPS = [
  ['main', 'archive', 'later', 'tools', 'guide/guide'],
  ['plans/editor', 'plans/plan-page'],
  ['embed'],
  ['canvas/decode-worker'],
  ['page'],
  ['console'],
];
// Scripts that run before the first paint: one classic script each, because modules run too late.
const EARLY_SCRIPTS = ['early', 'embed-early'];
// What the templates link; the others are imported by these.
const STYLE_SHEETS = ['canvas', 'later', 'tools', 'guide', 'archive', 'document', 'page', 'error-page', 'embed', 'gallery', 'messages', 'plans', 'detail', 'docs', 'console'];

/** Returns the address of an entry's source, as the pages use it without a bundle. */
const sourcePath = (name, kind) => `${kind}/${name}.${kind}`;

async function bundleModules(names, format, directory) {
  const input = Object.fromEntries(names.map((name) => [name.replace('/', '-'), join('public', sourcePath(name, 'js'))]));
  const build = await rolldown({ input, platform: 'browser', logLevel: 'warn', onwarn: (warning) => { throw new Error(warning.message); } });
  const options = { dir: directory, format, minify: true, entryFileNames: '[name]-[hash].js', chunkFileNames: '[name]-[hash].js' };
  const { output } = await build.write(format === 'esm' ? { ...options, codeSplitting: { groups: [{ name: `${names[0].replace('/', '-')}-shared`, minShareCount: 2 }] } } : options);
  await build.close();
  return output.filter((chunk) => chunk.isEntry).map((chunk) => {
    const source = relative('public', chunk.facadeModuleId);
    return [source, { file: chunk.fileName, imports: chunk.imports }];
  });
}

/** Writes a file with a hash of its content in its name, and returns its entry in the manifest. */
function writeHashed(source, name, content, directory) {
  const file = `${name}-${createHash('sha256').update(content).digest('base64url').slice(0, 8)}${parse(source).ext}`;
  writeFileSync(join(directory, file), content);
  return [source, { file, imports: [] }];
}

function bundleStyleSheet(name, directory) {
  const { code } = bundleStyles({ filename: join('public', sourcePath(name, 'css')), minify: true });
  return writeHashed(sourcePath(name, 'css'), name, code, directory);
}

function bundleCatalogue(file, directory) {
  const texts = JSON.parse(readFileSync(join('public/words', file), 'utf8'));
  return writeHashed(`words/${file}`, `words-${parse(file).name}`, JSON.stringify(texts), directory);
}

async function bundleAll(directory) {
  const entries = [];
  for (const names of MODULE_GROUPS) entries.push(...await bundleModules(names, 'esm', directory));
  for (const name of EARLY_SCRIPTS) entries.push(...await bundleModules([name], 'iife', directory));
  for (const name of STYLE_SHEETS) entries.push(bundleStyleSheet(name, directory));
  for (const file of readdirSync('public/words')) entries.push(bundleCatalogue(file, directory));
  const manifest = Object.fromEntries(entries.sort(([left], [right]) => left.localeCompare(right)));
  for (const name of readdirSync(directory)) writeFileSync(join(directory, `${name}.br`), brotliCompressSync(readFileSync(join(directory, name))));
  writeFileSync(join(directory, 'manifest.json'), `${JSON.stringify(manifest, null, 1)}\n`);
}

/** Returns the files of a folder with their contents, without compression, which differs between versions of the compressor. */
function readFolder(directory) {
  const read = (name) => readFileSync(join(directory, name));
  return new Map(readdirSync(directory).sort().map((name) => [name, (name.endsWith('.br') ? brotliDecompressSync(read(name)) : read(name)).toString()]));
}

if (process.argv.includes('--check')) {
  const directory = mkdtempSync(join(tmpdir(), 'bundle-'));
  await bundleAll(directory);
  const [made, committed] = [readFolder(directory), readFolder(COMMITTED)];
  rmSync(directory, { recursive: true });
  const differs = made.size !== committed.size || [...made].some(([name, text]) => committed.get(name) !== text);
  if (differs) {
    console.error('bundle: public/assets is older than public/js, public/css or public/words. Run `make prepare`, and commit public/assets.');
    process.exit(1);
  }
  console.log(`bundle: ${made.size} files are up to date`);
} else {
  rmSync(COMMITTED, { recursive: true, force: true });
  mkdirSync(COMMITTED);
  await bundleAll(COMMITTED);
}
