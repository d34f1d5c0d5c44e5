module.exports = ({ strapi }) => ({
  greet: (name) => `hello ${name}`,
  model: () => strapi.getModel('api::tag.tag').uid,
});
