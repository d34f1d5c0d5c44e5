import type { ContentContext } from '#content/content-context.js';
import { entryType } from '#api/code/entity-service.js';
import { validationError } from '#base/errors.js';
import { type Ability, asSubject, type Subject } from '#admin/rights/ability.js';
import { allOf } from '#model/query/filter-values.js';
import type { Attribute, ContentType } from '#model/schema/content-type.js';
import { isInternal } from '#admin/rights/field-paths.js';
import { isPlainObject, isRecord, type Values } from '#base/values.js';
import { refuseMissing } from '../load/unsupported-code.js';
import { type Keep, keepQuery, keepValues, type Place, type Scope } from './keep-permitted.js';

export interface ManagerInput {
  readonly ability: Ability;
  readonly action?: string;
  /** The uid of a content type. */
  readonly model: string;
}

/** For whom values are permitted: by default those of the entry itself, by the action of the manager. */
interface PermissionQuery {
  readonly subject?: Subject;
  readonly action?: string;
}

type Change = (data: unknown, asked?: PermissionQuery) => Promise<unknown>;

/** Returns `createPermissionsManager` of `strapi.admin.services.permission`: what an administrator may see, send and ask for. */
export const managerFactory = (content: () => ContentContext) => (input: ManagerInput) => {
  const { ability, action, model } = input;
  const filtersFor = (asked = action): Values | null => {
    if (asked === undefined) throw new Error('Action must be defined to build a permission query');
    return ability.filtersFor(asked, model);
  };
  const changes = permittedChanges(input, content);
  const members = {
    ...{ ability, action, model, ...changes, pickPermittedFieldsOf: changes.sanitizeInput },
    get isAllowed() {
      return ability.can(action ?? '', model);
    },
    toSubject: <Entry extends object>(entry: Entry, uid = model): Entry => asSubject(uid, entry),
    getQuery: filtersFor,
    addPermissionsQueryTo: (query: Values = {}, asked?: string): Values => {
      const { filters } = query;
      const permitted = filtersFor(asked) ?? undefined;
      return { ...query, filters: isPlainObject(filters) && permitted ? allOf([filters, permitted]) : (permitted ?? filters) };
    },
  };
  return refuseMissing(members, 'permissionsManager');
};

/** How what is permitted applies to a value. */
interface Form {
  readonly apply: (data: Values, scope: Scope) => Values;
  /** Returns whether an attribute is permitted although no permission names it. */
  readonly adds: (attribute: Attribute) => boolean;
  readonly isSecret: (place: Place) => boolean;
}

/** Returns whether the service or the model sets an attribute, and no form. */
const isOfService = ({ added, visible, writable }: Attribute): boolean => added !== null || !visible || !writable;

/** Returns whether an attribute is sent although no form shows it, such as the locale of an entry. */
const isHiddenInput = ({ added, visible, writable }: Attribute): boolean =>
  writable && (added === null ? !visible : added !== 'time');

const isTimeOrState = ({ added }: Attribute): boolean => added === 'time' || added === 'state';

/** What content shows of administrators. */
const shownOfAdministrators: ReadonlySet<string> = new Set(['firstname', 'lastname', 'username']);

function isNeverShown({ attribute, owner, name }: Place): boolean {
  if (owner.uid === 'admin::user') return !shownOfAdministrators.has(name);
  return isInternal(attribute, owner) || (attribute.kind === 'scalar' && attribute.type === 'password');
}

const isNeverSent = ({ attribute, owner }: Place): boolean => isInternal(attribute, owner);

const output: Form = { apply: keepValues, adds: isOfService, isSecret: isNeverShown };
const input: Form = { apply: keepValues, adds: isHiddenInput, isSecret: isNeverSent };
const query: Form = { apply: keepQuery, adds: isOfService, isSecret: isNeverShown };
const checkedQuery: Form = { ...query, adds: isTimeOrState };

/** Returns the methods that remove what is not permitted, and those that reject with a ValidationError for it. */
function permittedChanges(manager: ManagerInput, content: () => ContentContext) {
  const change = (form: Form, refuses = false): Change => {
    const changed: Change = async (data, asked = {}) => {
      if (Array.isArray(data)) return Promise.all(data.map((item: unknown) => changed(item, asked)));
      if (!isRecord(data)) return data;
      await Promise.resolve();
      const { registry } = content().bind;
      const type = entryType(manager.model, registry);
      const keep = keeper({ paths: permittedPaths(data, asked, manager), form, type, refuses });
      return form.apply(data, { registry, type, prefix: '', keep });
    };
    return changed;
  };
  const check = (form: Form): Change => {
    const checked = change(form, true);
    return async (data, asked) => {
      await checked(data, asked);
      return true;
    };
  };
  return {
    ...{ sanitizeOutput: change(output), sanitizeInput: change(input), sanitizeQuery: change(query) },
    ...{ validateQuery: check(checkedQuery), validateInput: check(input) },
  };
}

/** Returns the paths that an administrator may use; null if no permission names any. */
function permittedPaths(
  data: Values,
  asked: PermissionQuery,
  { ability, action = '', model }: ManagerInput,
): readonly string[] | null {
  const { subject = asSubject(model, { ...data }), action: name = action } = asked;
  const all = ability.permissionsFor(name, typeof subject === 'string' ? subject : model);
  if (all.every(({ properties }) => properties.fields === undefined)) return null;
  return ability.permissionsFor(name, subject).flatMap(({ properties: { fields = [] } }) => fields);
}

interface Keeping {
  readonly paths: readonly string[] | null;
  readonly form: Form;
  readonly type: ContentType;
  /** Whether anything else is an error. */
  readonly refuses: boolean;
}

function keeper({ paths, form, type, refuses }: Keeping): Keep {
  const added = [...type.attributes.values()].filter(form.adds).map(({ name }) => name);
  const permitted = paths && [...paths, ...added];
  return (place) => {
    const isKept = !form.isSecret(place) && (permitted === null || isWithin(place.path, permitted));
    if (!isKept && refuses) throw validationError(`Invalid parameter ${place.name}`);
    return isKept;
  };
}

/** Returns whether a path is one of those that are permitted, inside of one, or leads to one. */
const isWithin = (path: string, permitted: readonly string[]): boolean =>
  permitted.some((one) => one === path || path.startsWith(`${one}.`) || one.startsWith(`${path}.`));
