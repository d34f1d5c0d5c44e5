module.exports = {
  register({ strapi }) {
    strapi.probes = { registered: true };
  },
  bootstrap({ strapi }) {
    strapi.probes.bootstrapped = true;
  },
};
