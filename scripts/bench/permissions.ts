const actions = (controller: string, names: string): readonly string[] => names.split(' ').map((name) => `${controller}.${name}`);

/** The 50 permissions of the measured role: everything with each type of the data set, and others. */
export const permissions: readonly string[] = [
  ...['article', 'author', 'category', 'tag', 'comment', 'page'].flatMap((name) =>
    actions(`api::${name}.${name}`, 'find findOne create update delete'),
  ),
  'api::article.article.aggregate',
  ...actions('plugin::users-permissions.user', 'me find findOne count create update destroy'),
  ...actions('plugin::users-permissions.role', 'find findOne createRole updateRole'),
  ...actions('plugin::upload.content-api', 'find findOne upload destroy'),
  ...actions('plugin::content-type-builder.content-types', 'getContentTypes getContentType'),
  ...actions('plugin::content-type-builder.components', 'getComponents'),
  'plugin::i18n.locales.listLocales',
];
