import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { Model } from '../../../src/model/schema/model.js';

/** Roles with what they may do, locales, tokens and the settings of users-permissions: `setup.json`. */
export interface Setup {
  readonly locales: { readonly default: string; readonly list: readonly { readonly code: string; readonly name: string }[] };
  readonly advanced: Readonly<Record<string, unknown>>;
  readonly roles: readonly RoleSetup[];
  readonly apiTokens: readonly TokenSetup[];
  /** Roles of administrators besides the super admin's, and administrators; absent where the panel is not recorded. */
  readonly adminRoles?: readonly AdminRoleSetup[];
  readonly adminUsers?: readonly AdministratorSetup[];
}

export interface AdminRoleSetup {
  readonly name: string;
  readonly code: string;
  readonly description?: string;
  readonly permissions: readonly object[];
}

export interface AdministratorSetup {
  readonly firstname: string;
  readonly lastname: string | null;
  readonly username: string | null;
  readonly email: string;
  /** Null: the administrator has not registered yet. */
  readonly password: string | null;
  /** Codes of roles. */
  readonly roles: readonly string[];
  readonly isActive?: boolean;
  readonly blocked?: boolean;
  readonly preferedLanguage?: string;
  readonly registrationToken?: string;
  readonly resetPasswordToken?: string;
}

export interface RoleSetup {
  readonly type: string;
  readonly name?: string;
  readonly description?: string;
  readonly permissions: readonly string[];
}

export interface TokenSetup {
  readonly name: string;
  readonly type: 'full-access' | 'read-only' | 'custom';
  readonly accessKey: string;
  readonly permissions?: readonly string[];
  readonly expiresAt?: string;
}

export interface MediaFixture {
  readonly key: string;
  readonly file: string;
  readonly mime: string;
  readonly info?: { readonly name?: string; readonly alternativeText?: string; readonly caption?: string };
}

export interface UserFixture {
  readonly key: string;
  readonly data: { readonly role: string; readonly password: string } & Readonly<Record<string, unknown>>;
}

/** The values of an entry; a relation is `{ "$ref": "type.key" }`, at any depth. */
export type FixtureValues = Readonly<Record<string, unknown>>;

export interface EntryFixture {
  readonly key: string;
  readonly data: FixtureValues;
  readonly locale?: string | null;
  readonly localizationOf?: string | null;
}

/** The values of a single type in another locale. */
export interface Localization {
  readonly locale: string;
  readonly data: FixtureValues;
}

export interface Fixtures {
  readonly media: readonly MediaFixture[];
  readonly users: readonly UserFixture[];
  /** Entries of collection types by singular name, in load order. */
  readonly entries: readonly (readonly [type: string, entries: readonly EntryFixture[]])[];
  /** Values of single types by singular name. */
  readonly singles: Readonly<Record<string, FixtureValues>>;
  readonly singleLocalizations: Readonly<Record<string, readonly Localization[] | undefined>>;
}

/** Everything that a server must hold before the recordings can be replayed against it. */
export interface Content {
  readonly models: readonly Model[];
  readonly setup: Setup;
  readonly fixtures: Fixtures;
  /** Where the files that `fixtures.media` names lie. */
  readonly files: string;
}

/** Reads models/, fixtures.json and files/ of a directory of recordings, and its setup.json unless another file is named. */
export function readContent(directory: string, setupFile = path.join(directory, 'setup.json')): Content {
  const models = path.join(directory, 'models');
  return {
    models: readdirSync(models)
      .filter((file) => file.endsWith('.json'))
      .sort()
      .map((file) => readJson<Model>(path.join(models, file))),
    setup: readJson<Setup>(setupFile),
    fixtures: arrangeFixtures(readJson<FixtureFile>(path.join(directory, 'fixtures.json'))),
    files: path.join(directory, 'files'),
  };
}

/** fixtures.json: `order`, and one key per group; the groups that are not named here are singular names of collection types. */
interface FixtureFile extends Readonly<Record<string, unknown>> {
  readonly order: readonly string[];
  readonly media: readonly MediaFixture[];
  readonly user: readonly UserFixture[];
  readonly singles: Fixtures['singles'];
  readonly singleLocalizations: Fixtures['singleLocalizations'];
}

const ownGroups = new Set(['media', 'user', 'singles']);

function arrangeFixtures(file: FixtureFile): Fixtures {
  const types = file.order.filter((group) => !ownGroups.has(group));
  return {
    media: file.media,
    users: file.user,
    // Every group outside `ownGroups` is a list of entries: the format of the file.
    entries: types.map((type) => [type, file[type] as readonly EntryFixture[]] as const),
    singles: file.singles,
    singleLocalizations: file.singleLocalizations,
  };
}

// The files are the recordings' own, checked by whoever wrote them.
const readJson = <T>(file: string): T => JSON.parse(readFileSync(file, 'utf8')) as T;
