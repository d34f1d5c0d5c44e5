// NUXT_MANGROVE_URL is the address of the service
export default defineNuxtConfig({ compatibilityDate: '2026-01-01', runtimeConfig: { mangroveUrl: '' } });
