import { statSync } from 'node:fs';
import { createMedia } from '#media/media.js';
import { createOwnCollections } from '#store/send/ensure-collections.js';
import { restDeclarations } from '#api/rest/declarations.js';
import { abandonImport, prepareImport, type PreparedImport, previewImport, runImport } from '../transfer/run-import.js';
import { countPanelSettings, panelSettings } from '../transfer/import-panel.js';
import type { ImportContext } from '../transfer/import-run.js';
import type { Tally } from '../transfer/tally.js';
import { administratorUid } from '../transfer/panel-records.js';
import { printSize } from '#base/values.js';
import { panelTarget } from './import-panel.js';
import { importSync } from './import-sync.js';
import { openSource, refuseSecrets } from './open-source.js';
import type { OpenedService } from './open-service.js';
import { changing, runOnService, type Command } from './run-command.js';
import { showProgress } from './show-progress.js';
import { UsageError, refuseFurtherArguments, flag, parseWords, requiredArgument, text } from './usage-error.js';
import { print, printError, printTable } from './print.js';

export const usage = `usage: npx mangrove import SOURCE [options]
  SOURCE             an archive of strapi export: .tar or .tar.gz, or encrypted with .enc;
                     or mongodb://NAME@HOST/DATABASE of a Strapi v3 project; the password is read
                     from MANGROVE_IMPORT_PASSWORD, or a prompt;
                     or https://… of a running Strapi v4; an API token with full access is read
                     from MANGROVE_IMPORT_TOKEN, or a prompt;
                     or a folder of the plugin config-sync, such as config/sync: its roles, locales and settings
  --key-file FILE    file with the key of an encrypted archive; by default MANGROVE_IMPORT_KEY, or a prompt
  --project DIR      the folder of the Strapi v3 project, for the files in its public/uploads, and
                     for its models if the database does not have them
  --administrator ADDRESS
                     e-mail address of an administrator of a running Strapi v4, who reads the views of the
                     admin panel; the password is read from MANGROVE_IMPORT_PASSWORD, or a prompt
  --allow-private    allow SOURCE, and no other address, to be on this machine or in a private network
  --dry-run          read the whole source and report what would be imported; nothing is stored
  --replace          the entries of the source replace those that are stored
npx mangrove import --abandon
                     discard an interrupted import and its data
exit code: 0 if everything is imported, 2 if the report lists what is not, 1 if the import fails`;

const options = {
  'key-file': text,
  project: text,
  administrator: text,
  'allow-private': flag,
  'dry-run': flag,
  replace: flag,
  abandon: flag,
};

function readArguments(args: readonly string[]) {
  refuseSecrets(args);
  const { values, positionals } = parseWords(args, options);
  const [source, ...more] = positionals;
  refuseFurtherArguments(more);
  if (values.abandon && source !== undefined) throw new UsageError('--abandon has no SOURCE');
  return { ...values, source: values.abandon ? '' : requiredArgument(source, 'SOURCE') };
}

/** The exit code of an import that leaves something out. */
const incomplete = 2;

const importSource: Command = async (service, args) => {
  const given = readArguments(args);
  if (statSync(given.source, { throwIfNoEntry: false })?.isDirectory()) {
    const lines = await importSync(given.source, service, given['dry-run']);
    printTable(lines);
    return lines.some(([what]) => what === 'not imported') ? incomplete : 0;
  }
  const context = await contextOf(service);
  if (given.abandon) {
    await abandon(context);
    return 0;
  }
  const source = await openSource(given, service.store.database);
  try {
    printError(`reading ${source.description}`);
    const prepared = await prepareImport(source, context);
    if (!given['dry-run'] && prepared.unfinished !== null) printError(`continuing the import of ${prepared.unfinished.source}`);
    const tally = given['dry-run'] ? await previewImport(prepared, context) : await runImport(prepared, context, given);
    printTable((given['dry-run'] ? describePrepared : describeImport)(prepared, tally));
    return prepared.plan.refused.size > 0 || tally.shortcomings.size > 0 ? incomplete : 0;
  } finally {
    await source.close();
  }
};

async function contextOf(service: OpenedService): Promise<ImportContext> {
  const { config, settings, secrets, store, content } = service;
  const media = config.plugins.upload.enabled ? createMedia(config, store.database) : null;
  if (media !== null) await createOwnCollections(restDeclarations.uploads.collections, store.database);
  const tokens = { salt: secrets.tokenSalt, isGiven: config.admin.apiToken.salt !== null, showKey };
  const { defaultLocale } = content.bind;
  const panel = panelTarget(service);
  return { config, modelSettings: settings, store, media, defaultLocale, tokens, panel, progress: showProgress() };
}

function showKey(name: string, key: string): void {
  printError(`the salt of API tokens differs: ${name} has a new key, which is shown only once`);
  print(`${name}\t${key}`);
}

async function abandon(context: ImportContext): Promise<void> {
  const state = await abandonImport(context);
  if (state === null) return void print('there is no interrupted import');
  const left = state.stage === 'publish' ? 'types that were already published are kept' : 'all its data are deleted';
  print(`the import of ${state.source} is abandoned; ${left}`);
}

/** Imports a source, or abandons an interrupted import. Returns the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  const given = readArguments(args);
  // A dry run changes nothing, so it is not recorded.
  return runOnService(given['dry-run'] ? importSource : changing(importSource), args, 'import');
}

type Row = readonly [what: string, which: string, about: string];

/** Returns a table of the content that an import would store, and of what it could not store. */
export function describePrepared(
  { source, manifest, plan, occupied, unfinished }: PreparedImport,
  lost: Pick<Tally, 'shortcomings'> = { shortcomings: new Map() },
): readonly Row[] {
  const types = [...plan.types.keys()].map((uid): Row => ['entries', uid, String(manifest.entities.get(uid) ?? 0)]);
  const settings = countPanelSettings(manifest, plan);
  const refused = [...plan.refused].map(([uid, why]): Row => ['skipped', uid, `${String(manifest.entities.get(uid))}: ${why}`]);
  return [
    ...plan.models.map(({ uid }): Row => ['model', uid, 'new']),
    ...plan.warnings.map(([uid, text]): Row => ['warning', uid, text]),
    ...(source.notes?.() ?? []).map(([reason, where]): Row => ['warning', where, reason]),
    ...types,
    ['links', '', String(manifest.links)],
    ['files', '', `${String(manifest.assets)}, ${printSize(manifest.assetBytes)}`],
    ...panelRows(manifest, (name, all) => [name, '', String(all)]),
    ...(settings === 0 ? [] : [[panelSettings, '', String(settings)] as Row]),
    ...refused,
    ...shortcomingRows(lost),
    ...occupied.map(({ uid }): Row => ['occupied', uid, 'has entries, which --replace would replace']),
    ...(unfinished === null ? [] : [['unfinished', unfinished.source, 'an import was interrupted'] as Row]),
    ['', '', 'nothing was stored'],
  ];
}

/** Returns a table of the content that an import has stored and of what it could not store. */
export function describeImport({ plan, manifest }: PreparedImport, tally: Tally): readonly Row[] {
  const { counts } = tally;
  const count = (uid: string, all: number): string => {
    const came = counts.get(uid) ?? 0;
    return came === all ? String(came) : `${String(came)} of ${String(all)}`;
  };
  const optional = { tokens: 'API tokens', [panelSettings]: panelSettings };
  return [
    ...[...plan.types.keys()].map((uid): Row => ['imported', uid, count(uid, manifest.entities.get(uid) ?? 0)]),
    ['imported', 'links', String(counts.get('links') ?? 0)],
    ['imported', 'files', String(counts.get('assets') ?? 0)],
    ...panelRows(manifest, (name, all, uid) => ['imported', name, count(uid, all)]),
    ...Object.entries(optional).flatMap(([key, name]): readonly Row[] =>
      counts.has(key) ? [['imported', name, String(counts.get(key))]] : [],
    ),
    ...shortcomingRows(tally),
  ];
}

const panelNames = { [administratorUid]: 'administrators', 'admin::role': 'roles of administrators' } as const;

/** Returns the rows about administrators. A source that never has any is complete without them, but the report says so. */
function panelRows(
  { entities }: PreparedImport['manifest'],
  row: (name: string, all: number, uid: string) => Row,
): readonly Row[] {
  const rows = Object.entries(panelNames).flatMap(([uid, name]) => {
    const all = entities.get(uid);
    return all === undefined ? [] : [row(name, all, uid)];
  });
  const missing = 'not part of the source, nor is who created entries: npx mangrove admin create makes one';
  return entities.has(administratorUid) ? rows : [...rows, ['note', 'administrators', missing]];
}

const shortcomingRows = ({ shortcomings }: Pick<Tally, 'shortcomings'>): readonly Row[] =>
  [...shortcomings].map(([reason, { count, examples }]) => [
    'not imported',
    String(count),
    `${reason} (${examples.join(', ')}${count > examples.length ? ', …' : ''})`,
  ]);
