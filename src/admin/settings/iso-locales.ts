/** Languages with their regions and scripts. Every language is a locale itself too. */
const table = `af:NA,ZA agq:CM aig: ak:GH am:ET ar:001,AE,BH,DZ,EG,IQ,JO,KW,LB,LY,MA,OM,QA,SA,SD,SY,TN,YE as:IN asa:TZ ast:ES
az:Cyrl,Cyrl-AZ,Latn,Latn-AZ bah: bas:CM be:BY bem:ZM bez:TZ bg:BG bm:ML bn:BD,IN bo:CN,IN br:FR brx:IN bs:BA ca:ES,ES-valencia
cgg:UG chr:US ckb: cs:CZ cy:GB da:DK dav:KE de:AT,BE,CH,DE,LI,LU dje:NE dua:CM dv: dyo:SN ebu:KE ee:GH,TG el:CY,GR
en:AE,AI,AS,AT,AU,BB,BE,BI,BM,BW,BZ,CA,CC,CH,CK,CM,CX,CY,DE,DG,DK,DM,EG,ER,EU,FI,FJ,FK,FM,GB,GD,GG,GH,GI,GM,GU,GY,HK,IE,IL,IM,IN,IO,JE,JM,KE,KI,KN,KW,KY,LC,LS,MG,MH,MO,MP,MS,MT,MU,MW,MY,NA,NF,NG,NL,NO,NR,NU,NZ,PA,PG,PH,PK,PN,PR,PW,RW,SA,SB,SC,SD,SE,SG,SH,SI,SL,SS,SX,SZ,TK,TO,TT,TV,TZ,UG,UM,US,US-POSIX,VI,VU,WS,ZA,ZM,ZW
eo: es:419,AR,BO,CL,CO,CR,CU,DO,EC,ES,GQ,GT,HN,MX,NI,PA,PE,PR,PY,SV,US,UY,VE et:EE eu:ES ewo:CM fa:AF,IR ff:SN fi:FI fil:PH
fo:FO
fr:BE,BF,BI,BJ,BL,CA,CD,CF,CG,CH,CI,CM,DJ,DZ,FR,GA,GF,GN,GP,GQ,HT,KM,LU,MA,MC,MF,MG,ML,MQ,MR,MU,NC,NE,PF,RE,RW,SC,SN,SY,TD,TG,TN,VU,YT
ga:IE gd:GB gl:ES gsw:CH gu:IN guz:KE gv:GB ha:Latn,Latn-GH,Latn-NE,Latn-NG haw:US he:IL hi:IN hr:BA,HR hu:HU hy:AM id:ID ig:NG
ii:CN is:IS it:CH,IT,SM ja:JP jmc:TZ ka:GE kaa: kab:DZ kam:KE kde:TZ kea:CV khq:ML ki:KE kk:Cyrl,Cyrl-KZ kl:GL kln:KE km:KH kmr:
kn:IN ko:KP,KR kok:IN ksb:TZ ksf:CM kw:GB ky:KG lag:TZ lao: lb:LU lg:UG lir: ln:CD,CG lo:LA lt:LT lu:CD luo:KE luy:KE lv:LV
mas:KE,TZ mer:KE mfe:MU mg:MG mgh:MZ mi: mk:MK ml:IN mn:MN mr:IN ms:BN,MY,SG mt:MT mua:CM my:MM naq:NA nb:NO nd:ZW ne:IN,NP
nl:AW,BE,CW,NL,SR,SX nmg:CM nn:NO nus:SD nyn:UG om:ET,KE or:IN pa:Arab,Arab-PK,Guru,Guru-IN pl:PL ps:AF
pt:AO,BR,CV,GW,MO,MZ,PT,ST,TL rm:CH rn:BI ro:MD,RO rof:TZ ru:BY,KG,KZ,MD,RU,UA rw:RW rwk:TZ sa: saq:KE sbp:TZ sdh: se:FI,NO,SE
seh:MZ ses:ML sg:CF shi:Latn,Latn-MA,Tfng,Tfng-MA si:LK sk:SK sl:SI smn:FI sn:ZW so:DJ,ET,KE,SO sq:AL,MK,XK
sr:Cyrl,Cyrl-BA,Cyrl-ME,Cyrl-RS,Latn,Latn-BA,Latn-ME,Latn-RS sv:AX,FI,SE svc: sw:CD,KE,TZ,UG swc:CD ta:IN,LK,MY,SG tch: te:IN
teo:KE,UG tg:TJ th:TH ti:ER,ET tk:TM to:TO tr:CY,TR tt:RU twq:NE tzm:Latn,Latn-MA ug:CN uk:UA ur:IN,PK
uz:Arab,Arab-AF,Cyrl,Cyrl-UZ,Latn,Latn-UZ vai:Latn,Latn-LR,Vaii,Vaii-LR val:ES vi:VN vic: vun:TZ xog:UG yav:CM yi: yo:BJ,NG
zh:CN,Hans,Hans-CN,Hans-HK,Hans-MO,Hans-SG,Hant,Hant-HK,Hant-MO,Hant-TW zu:ZA`;

interface IsoLocale {
  readonly code: string;
  /** Such as `German (Austria) (de-AT)`. */
  readonly name: string;
}

/** Returns the locales that the panel offers, by the name of their language. Others can be added by the admin API. */
export function isoLocales(): readonly IsoLocale[] {
  const names = new Intl.DisplayNames(['en'], { type: 'language', languageDisplay: 'standard' });
  const nameOf = (code: string): string => names.of(code) ?? code;
  const languages = table.split(/\s+/).map((row) => {
    const [language = '', regions = ''] = row.split(':');
    const others = regions.split(',').flatMap((region) => (region === '' ? [] : [`${language}-${region}`]));
    return { name: nameOf(language), codes: [language, ...others] };
  });
  return languages
    .sort((a, b) => a.name.localeCompare(b.name))
    .flatMap(({ codes }) => codes.map((code) => ({ code, name: `${nameOf(code)} (${code})` })));
}
