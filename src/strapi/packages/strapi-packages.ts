import { acceptInput } from '#content/accept-write.js';
import { withAccess, type ContentContext } from '#content/content-context.js';
import { createEnv, lenientReaders } from '#settings/create-env.js';
import * as apiErrors from '#base/errors.js';
import { entryType } from '#api/code/entity-service.js';
import type { ContentType } from '#model/schema/content-type.js';
import type { Values } from '#base/values.js';
import { checkQuery } from '../routes/core-controller.js';
import type { CodeRequests } from '../routes/code-requests.js';
import type { Factories } from '../routes/factories.js';
import type { Service } from '../services/core-service.js';
import { envelopeFlat, hideFrom } from '../content/flat-entries.js';
import { withVisiblePopulate } from '../content/visible-populate.js';
import { pluginFiles } from '../runtime/plugin-files.js';
import { projectYup } from './project-yup.js';
import { errorClasses } from './error-classes.js';
import { paginationHelpers, queryConversions } from './query-helpers.js';
import { fileHelpers, relationHelpers, textHelpers } from './small-helpers.js';
import { addressHelpers, asyncHelpers, modelHelpers, valueHelpers } from './strapi-utils.js';
import { missingExport, refuseMissing } from '../load/unsupported-code.js';
import { fullAccess } from '#model/query/access.js';

interface PackageParts {
  /** The directory of the project; absolute. */
  readonly directory: string;
  readonly factories: Factories;
  /** Returns the requests that code handles. */
  readonly requests: () => CodeRequests;
  readonly content: () => ContentContext;
  /** Returns a service of the plugin users-permissions. */
  readonly accountService: (name: string) => Service;
}

/**
 * Returns replacements for Strapi's packages, by package name. They are used whether the package is installed or not. Reading
 * other exports throws an UnsupportedCodeError; names that the packages do not export are undefined.
 */
export function strapiPackages(parts: PackageParts): Readonly<Record<string, object>> {
  const { yup, ...bodyChecks } = projectYup(parts.directory);
  const utils = {
    errors: errorClasses,
    env: createEnv(process.env, lenientReaders),
    policy: offered({ createPolicy: (policy: unknown) => policy, createPolicyContext }, 'policy of @strapi/utils'),
    ...asyncHelpers,
    ...valueHelpers,
    ...addressHelpers,
    ...textHelpers,
    convertQueryParams: queryConversions(parts.content),
    pagination: paginationHelpers,
    relations: relationHelpers,
    file: fileHelpers,
    ...bodyChecks,
    ...contentHelpers(parts),
    contentTypes: offered(modelHelpers, 'contentTypes of @strapi/utils'),
    get yup() {
      return yup();
    },
  };
  const own = offered(utils, '@strapi/utils');
  return {
    mangrove: { ...apiErrors, factories: parts.factories },
    '@strapi/strapi': { factories: parts.factories },
    '@strapi/strapi/lib/factories': parts.factories,
    '@strapi/strapi/lib/core-api/controller/transform': { transformResponse: responseTransformer(parts) },
    '@strapi/utils': own,
    ...utilsFiles(own, utils),
    ...pluginFiles(parts.accountService),
  };
}

/** Returns a context of policies, which says its type. */
const createPolicyContext = (type: string, context: object): object => ({
  ...context,
  type,
  is: (other: string) => other === type,
});

interface Transformed {
  readonly contentType?: { readonly uid: string };
}

/** Returns `transformResponse` of generated controllers as a function of its own. Without a content type it changes no attributes. */
const responseTransformer =
  ({ content }: PackageParts) =>
  (entries: unknown, meta: Values = {}, { contentType }: Transformed = {}): unknown => {
    const { registry } = content().bind;
    return envelopeFlat(entries, meta, {
      type: contentType === undefined ? null : entryType(contentType.uid, registry),
      registry,
    });
  };

type UtilsMembers = Readonly<Record<'errors' | 'sanitize' | 'validate' | 'policy' | 'contentTypes', object>>;

/** Returns the files of @strapi/utils that code imports by their paths, which differ between versions. */
function utilsFiles(
  own: object,
  { errors, sanitize, validate, policy, contentTypes }: UtilsMembers,
): Readonly<Record<string, object>> {
  const files = { errors, sanitize, validate, policy, 'content-types': contentTypes };
  return Object.fromEntries(
    ['lib', 'dist'].flatMap((folder) => {
      const path = `@strapi/utils/${folder}`;
      return [[path, own], ...Object.entries(files).map(([file, exported]) => [`${path}/${file}`, exported])];
    }),
  ) as Readonly<Record<string, object>>; // lists of paths and objects
}

interface About {
  /** `ctx.state.auth`. Without it, relations to entries that a caller may not find are kept. */
  readonly auth?: unknown;
}

/** Returns `sanitize.contentAPI` and `validate.contentAPI`. Their models come from `strapi.getModel(uid)`. */
function contentHelpers({ requests, content }: PackageParts) {
  const typeOf = (model: { readonly uid: string }): ContentType => entryType(model.uid, content().bind.registry);
  const contentOf = ({ auth }: About = {}): ContentContext =>
    requests().callOfAuth(auth)?.content ?? withAccess(content(), fullAccess);
  const output = (data: unknown, model: { readonly uid: string }, about: About = {}): Promise<unknown> => {
    const access = requests().callOfAuth(about.auth)?.content.bind.access ?? null;
    return Promise.resolve(hideFrom(access, data, typeOf(model), content().bind.registry));
  };
  const input = async (data: unknown, model: { readonly uid: string }, about?: About): Promise<unknown> =>
    Promise.resolve(acceptInput(typeOf(model), data, contentOf(about)));
  const query = async (asked: Values, model: { readonly uid: string }, about?: About): Promise<Values> => {
    const context = contentOf(about);
    checkQuery(asked, typeOf(model), context);
    return Promise.resolve(withVisiblePopulate(asked, typeOf(model), context.bind));
  };
  const part =
    (name: string) =>
    async (asked: unknown, model: { readonly uid: string }, about?: About): Promise<unknown> =>
      (await query({ [name]: asked }, model, about))[name];
  const parts = { filters: part('filters'), sort: part('sort'), fields: part('fields'), populate: part('populate') };
  const defaultSanitizeOutput = (model: { readonly uid: string }, data: unknown): Promise<unknown> => output(data, model);
  const sanitizers = offered({ defaultSanitizeOutput }, 'sanitizers of @strapi/utils');
  return {
    sanitize: offered({ contentAPI: { output, input, query, ...parts }, sanitizers }, 'sanitize of @strapi/utils'),
    validate: offered({ contentAPI: { input, query, ...parts } }, 'validate of @strapi/utils'),
  };
}

const offered = (exported: object, exporter: string): object => refuseMissing(exported, exporter, missingExport);
