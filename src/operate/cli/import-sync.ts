import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRole, updateRole } from '#accounts/roles/roles.js';
import { setActions } from '#accounts/roles/grant-actions.js';
import { features } from '#features.js';
import { featureActions } from '#http/feature.js';
import { grantableActions } from '#http/running.js';
import { createLocale, listLocales, localeWork } from '#content/locales.js';
import { previewAdministration, takeAdministration } from '../transfer/panel/take-administration.js';
import { readModels } from '#store/stores/model-store.js';
import { buildRegistry } from '#model/schema/build-registry.js';
import type { PanelRecord } from '../transfer/panel-records.js';
import { parseImported } from '../transfer/parse-imported.js';
import { uidOfView } from '#store/stores/code-store.js';
import { isPanelSetting, usedSettings } from '../transfer/source.js';
import { takeSettings } from '../transfer/take-settings.js';
import { isRecord, recordsIn, type Values } from '#base/values.js';
import { panelTarget } from './import-panel.js';
import { readRolesByType, type OpenedService } from './open-service.js';
import { messageOf } from '#base/errors.js';

/** A line of the result: what was done, with what, and details. */
type Line = readonly [done: string, what: string, about: string];

/** The files that the plugin config-sync writes, by kind, with the kinds that Mangrove has. */
const filePattern = /^(user-role|admin-role|i18n-locale|core-store)\.(.+)\.json$/;

interface SyncFile {
  readonly kind: string;
  readonly name: string;
  readonly value: Values;
}

/** Returns whether a folder has files of the plugin config-sync that can be imported. */
export const isSyncFolder = (folder: string): boolean =>
  existsSync(folder) && readdirSync(folder).some((name) => filePattern.test(name));

/**
 * Imports roles with their actions, locales and settings from a folder of the plugin config-sync. Roles and locales that exist get
 * the values of the files; others are kept. Returns what was done; with `isDry`, what would be. Throws an Error for a file that
 * cannot be read.
 */
export async function importSync(folder: string, service: OpenedService, isDry: boolean): Promise<readonly Line[]> {
  const files = readFiles(folder);
  const of = (kind: string): readonly SyncFile[] => files.filter((file) => file.kind === kind);
  const target: Target = { service, isDry, lines: [] };
  for (const { value } of of('i18n-locale')) await importLocale(value, target);
  for (const file of of('user-role')) await importRole(file, target);
  await importAdminRoles(
    of('admin-role').map(({ value }) => value),
    target,
  );
  const settings = new Map(of('core-store').map(({ value }) => [String(value['key']), settingIn(value)] as const));
  await importSettings(settings, target);
  return target.lines;
}

/** Returns the value of a setting, which older versions of config-sync write as a text. */
function settingIn({ key, value }: Values): unknown {
  if (typeof value !== 'string' || !/^[{[]/.test(value)) return value;
  return parseImported(Buffer.from(value), `the setting ${String(key)}`).value ?? value;
}

interface Target {
  readonly service: OpenedService;
  readonly isDry: boolean;
  readonly lines: Line[];
}

function readFiles(folder: string): readonly SyncFile[] {
  return readdirSync(folder)
    .sort()
    .flatMap((file) => {
      const [, kind, name] = filePattern.exec(file) ?? [];
      return kind === undefined || name === undefined ? [] : [{ kind, name, value: readJson(join(folder, file)) }];
    });
}

function readJson(file: string): Values {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Error(`${file} is not JSON: ${messageOf(error)}`, { cause: error });
  }
  if (!isRecord(value)) throw new Error(`${file} is not a file of config-sync: it has no JSON object`);
  return value;
}

async function importLocale({ code, name }: Values, { service, isDry, lines }: Target): Promise<void> {
  const isKnown = (await listLocales(service.content)).some((locale) => locale.code === code);
  if (!isKnown && !isDry) await createLocale(code, { name: name as string }, localeWork(service)); // checked there
  lines.push([isKnown ? 'unchanged' : 'added', 'locale', String(code)]);
}

async function importRole({ name: file, value }: SyncFile, { service, isDry, lines }: Target): Promise<void> {
  const { name, description, type = file, permissions } = value;
  const written = (Array.isArray(permissions) ? permissions : []).flatMap((one: unknown) =>
    isRecord(one) ? [String(one['action'])] : [],
  );
  const { config, content } = service;
  const known = new Set(grantableActions({ actions: featureActions(features, config) }, content.bind.registry));
  const actions = written.filter((action) => known.has(action) || isOwn(action));
  const before = (await readRolesByType(service)).get(String(type));
  lines.push([before === undefined ? 'added' : 'changed', 'role', `${String(type)}: ${String(actions.length)} actions`]);
  for (const action of written.filter((one) => !actions.includes(one)))
    lines.push(['not imported', 'action', `${String(type)}: ${action}: Mangrove has no such action`]);
  if (isDry) return;
  const names = { name, ...(typeof description === 'string' && { description }) };
  if (before !== undefined) await updateRole(before.id, names, content);
  const id = before?.id ?? (await createRole({ ...names, type }, content));
  await setActions(id, actions, content.store);
}

/** Returns whether an action may be one of the project's own code, which is not loaded here. */
const isOwn = (action: string): boolean => action.startsWith('api::');

/** Imports roles of administrators. A role that administrators have keeps its permissions. */
async function importAdminRoles(roles: readonly Values[], { service, isDry, lines }: Target): Promise<void> {
  if (roles.length === 0) return;
  const records = roles.flatMap((data, index): readonly PanelRecord[] => [
    { type: 'admin::role', id: index + 1, data, roles: [] },
    ...recordsIn(data['permissions']).map((own, number) => ({
      ...{ type: 'admin::permission', id: (index + 1) * permissionsOfRole + number, data: own, roles: [index + 1] },
    })),
  ]);
  for (const { name, code } of roles) lines.push(['imported', 'role', `${String(code)} of administrators: ${String(name)}`]);
  const { content } = service;
  const report = (reason: string, where: string): void => void lines.push(['not imported', 'role', `${where}: ${reason}`]);
  const target = { content, registry: content.bind.registry, report, tellSuper: () => undefined };
  if (isDry) await previewAdministration(records, target);
  else await takeAdministration(records, new Map(), target);
}

/** More than any role has. */
const permissionsOfRole = 1_000_000;

async function importSettings(settings: ReadonlyMap<string, unknown>, { service, isDry, lines }: Target): Promise<void> {
  const { config, store, settings: modelSettings } = service;
  const isUsed = (key: string): boolean => Object.values<string>(usedSettings).includes(key);
  for (const key of settings.keys()) if (isUsed(key)) lines.push(['changed', 'setting', key]);
  const report = (reason: string, where: string): void => void lines.push(['not imported', 'setting', `${where}: ${reason}`]);
  if (!isDry) await takeSettings(settings, { config, store, report });
  const { models: definitions, registry } = buildRegistry(await readModels(store.database), modelSettings);
  const panel = panelTarget(service);
  for (const [key, value] of [...settings].filter(([name]) => isPanelSetting(name))) {
    const uid = uidOfView(key);
    const hasModel = uid === '' || definitions.has(uid);
    if (!hasModel && ofProject.test(uid)) report('there is no such model', key);
    const isTaken = hasModel && (isDry || (await panel.takeSetting({ key, value }, { plan: { definitions, registry }, report })));
    if (isTaken) lines.push(['changed', 'setting', key]);
  }
}

/** The uids of types and components of projects. Strapi v4 stores views of its own types too, which are not offered. */
const ofProject = /^(api::|[^:]+$)/;
