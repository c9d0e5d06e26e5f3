const s = result.email;
/cannot come|have to decline|not be able to come/.test(s) && s.startsWith("Dear Dr. Okafor,") && s.endsWith("\nKind regards,\nMina Sato") && s.includes("14 May") && s.trim().split(/\s+/).length < 80
