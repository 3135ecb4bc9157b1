// Passkeys: the browser's own dialog; its answer goes into the form, which is sent as any other.
"use strict";
(() => {
  const buttons = [...document.querySelectorAll("[data-passkey]")];
  if (!window.PublicKeyCredential) {
    buttons.forEach((each) => { each.disabled = true; });
    return;
  }
  const bytes = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (sign) => sign.charCodeAt(0));
  const text = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  const known = (list) => (list ?? []).map((each) => ({ ...each, id: bytes(each.id) }));

  const asked = {
    create: (options) => navigator.credentials.create({ publicKey: {
      ...options,
      challenge: bytes(options.challenge),
      user: { ...options.user, id: bytes(options.user.id) },
      excludeCredentials: known(options.excludeCredentials),
    } }),
    get: (options) => navigator.credentials.get({ publicKey: {
      ...options,
      challenge: bytes(options.challenge),
      allowCredentials: known(options.allowCredentials),
    } }),
  };

  const plain = (made) => {
    const names = ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"];
    const given = names.filter((name) => made.response[name]);
    const response = Object.fromEntries(given.map((name) => [name, text(made.response[name])]));
    return JSON.stringify({ id: made.id, rawId: text(made.rawId), type: made.type, response });
  };

  for (const button of buttons) {
    button.addEventListener("click", async () => {
      const says = button.form.querySelector("[data-passkey-says]");
      says.textContent = "";
      try {
        const made = await asked[button.dataset.passkey](JSON.parse(button.dataset.options));
        button.form.elements[button.dataset.answer].value = plain(made);
        button.form.submit();
      } catch { // dismissed, too late, or no device that fits: the browser says which
        says.textContent = says.dataset.passkeySays;
      }
    });
  }
})();
