module.exports = {
  article: 'api::article.article',
  author: 'api::author.author',
  event: 'api::event.event',
  page: 'api::page.page',
  setting: 'api::setting.setting',
  tag: 'api::tag.tag',
  file: 'plugin::upload.file',
  user: 'plugin::users-permissions.user',
  role: 'plugin::users-permissions.role',
  permission: 'plugin::users-permissions.permission',
};
