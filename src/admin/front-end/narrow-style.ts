/**
 * The style of the panel in narrow windows, such as those of telephones. The panel is made for wide ones: its two menus beside the
 * page leave no width for it below 435 pixels. Here the menus are above the page, and margins are small. It names elements by their
 * place and by the attributes that the panel gives them, because its classes change with each version.
 */
export const narrowStyle = `
@media (max-width: 47rem) {
  #strapi > div > div:has(> nav) { flex-direction: column; }
  #strapi > div > div > nav { position: static; width: 100%; height: auto; flex-direction: row; border: 0; border-bottom: 1px solid #8e8ea9; }
  #strapi > div > div > nav > :is(a, hr), #strapi > div > div > nav > div > button { display: none; }
  #strapi > div > div > nav li > div > span, #main-nav-user-button > button > span { display: none; }
  #strapi > div > div > nav > div { overflow: visible; border: 0; padding: 0; }
  #strapi > div > div > nav > div:first-of-type { flex: 1; }
  #strapi > div > div > nav > div > ul { flex-flow: row wrap; gap: 0; margin: 0; padding: 0; }
  #strapi > div > div > nav :is(li:has(ul), li:has(ul) > div, li ul) { display: contents; }
  #strapi > div > div > div { width: 100%; }
  #strapi > div > div > div > div:has(> nav) { grid-template-columns: minmax(0, 1fr); }
  #strapi > div > div > div > div > nav { position: static; width: 100%; height: auto; max-height: 12rem; border: 0; }
  #main-content > div, [role=dialog] { max-width: 100vw; }
  #strapi [data-strapi-header], #main-content > :is(div, form > div):not(:has([data-strapi-header])) { padding-inline: 1rem; }
  #strapi [data-strapi-header] > div { flex-wrap: wrap; gap: .5rem; }
}
`;
